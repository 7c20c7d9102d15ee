// Prints what the WebAssembly module answers: node layout_calls.mjs MODULE COUNT
import { readFileSync } from "node:fs";

const [file, count] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(file), {});
for (let seed = 0; seed < Number(count); ++seed) {
  console.log(instance.exports.layout_calls(seed) >>> 0);
}

// Source of scale_*.fatbin: for mode in none speed size; do
//   nvcc -fatbin --compress-mode=$mode -gencode arch=compute_90a,code=compute_90a \
//        -gencode arch=compute_100a,code=compute_100a -gencode arch=compute_80,code=compute_80 \
//        -gencode arch=compute_90,code=sm_90 scale.cu -o scale_$mode.fatbin; done
extern "C" __global__ void scale(float* values, float factor) {
  values[threadIdx.x] *= factor;
}

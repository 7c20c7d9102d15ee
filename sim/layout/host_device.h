#pragma once

/// Marks address arithmetic that host, device and WebAssembly code share.
#if defined(__CUDACC__)
#define LC_HD __host__ __device__
#else
#define LC_HD
#endif

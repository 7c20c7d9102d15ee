# cmake -DNVCC=... -DSOURCE_DIR=... -DKERNEL=tcgen05_tma -DARCH=sm_100a -DMOST_REGISTERS=128 -P ptxas.cmake
# The kernel assembles, with the dump compiled in and without: no spills, no stack, no more registers
# than MOST_REGISTERS.  Lists the registers of every entry.
foreach(dump 0 1)
  execute_process(
    COMMAND ${NVCC} -std=c++20 -arch=${ARCH} -cubin -Xptxas -v -DLC_SMEM_DUMP=${dump} -I${SOURCE_DIR}
            ${SOURCE_DIR}/kernel/gemm/${KERNEL}.cu
            -o ${CMAKE_CURRENT_BINARY_DIR}/ptxas.${KERNEL}.${ARCH}.cubin
    ERROR_VARIABLE log OUTPUT_VARIABLE log RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "nvcc failed:\n${log}")
  endif()
  string(REGEX MATCHALL "Function properties for [a-zA-Z0-9_]+" entries "${log}")
  string(REGEX MATCHALL
    "[0-9]+ bytes stack frame, [0-9]+ bytes spill stores, [0-9]+ bytes spill loads" frames "${log}")
  string(REGEX MATCHALL "Used [0-9]+ registers" registers "${log}")
  list(LENGTH entries count)
  list(LENGTH frames frame_count)
  list(LENGTH registers register_count)
  if(count EQUAL 0 OR NOT frame_count EQUAL count OR NOT register_count EQUAL count)
    message(FATAL_ERROR "what ptxas says is not understood:\n${log}")
  endif()
  foreach(entry frame used IN ZIP_LISTS entries frames registers)
    string(REGEX REPLACE "Function properties for " "" entry "${entry}")
    string(REGEX MATCH "[0-9]+" used "${used}")
    message(STATUS "${ARCH}, dump ${dump}: ${entry}: ${used} registers")
    if(NOT frame STREQUAL "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads")
      message(FATAL_ERROR "${entry}: ${frame}")
    endif()
    if(used GREATER MOST_REGISTERS)
      message(FATAL_ERROR "${entry} uses more than ${MOST_REGISTERS} registers")
    endif()
  endforeach()
endforeach()

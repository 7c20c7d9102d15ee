# cmake -DNVCC=... -DREADELF=... -DSOURCE_DIR=... -DARCH=sm_90a -P zero_cost.cmake
# The dump compiled out (-DLC_SMEM_DUMP=0) must leave the same machine code and the same registers as
# a kernel that never heard of it.
set(variants "without -DWITHOUT_DUMP" "off -DLC_SMEM_DUMP=0" "on -DLC_SMEM_DUMP=1")
foreach(variant IN LISTS variants)
  string(REPLACE " " ";" parts ${variant})
  list(GET parts 0 name)
  list(GET parts 1 define)
  set(cubin ${CMAKE_CURRENT_BINARY_DIR}/zero_cost.${ARCH}.${name}.cubin)
  execute_process(
    COMMAND ${NVCC} -std=c++17 -arch=${ARCH} -cubin -Xptxas -v -I${SOURCE_DIR} ${define}
            ${SOURCE_DIR}/tests/gpu/zero_cost.cu -o ${cubin}
    ERROR_VARIABLE log OUTPUT_VARIABLE log RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "nvcc failed:\n${log}")
  endif()
  string(REGEX MATCH "Used ([0-9]+) registers" unused "${log}")
  set(registers_${name} ${CMAKE_MATCH_1})
  execute_process(COMMAND ${READELF} -x .text.kernel ${cubin}
                  OUTPUT_VARIABLE code_${name} RESULT_VARIABLE failed)
  if(failed OR code_${name} STREQUAL "")
    message(FATAL_ERROR "no code of the kernel found in ${cubin}")
  endif()
  string(LENGTH "${code_${name}}" length)
  message(STATUS "${ARCH} ${name}: ${registers_${name}} registers, ${length} characters of hex dump")
endforeach()
if(NOT code_off STREQUAL code_without OR NOT registers_off EQUAL registers_without)
  message(FATAL_ERROR "the dump compiled out changes the kernel")
endif()
if(code_on STREQUAL code_without)
  message(FATAL_ERROR "the dump does nothing even when it is on")
endif()

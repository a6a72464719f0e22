// The part of LiteRT's C interface that Facet uses, resolved at run time.
//
// LiteRT comes as a wheel without headers or pkg-config data. Loading it by path lets everything build and link on a
// machine without it, and makes its absence an error that can be caught. Types match libLiteRt.so 2.3.0 on 64-bit
// machines: enumerations are 32 bits wide, handles are opaque.
#ifndef FACET_CLITERT_H
#define FACET_CLITERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef int32_t LiteRtStatus;

typedef struct LiteRtEnvironmentT *LiteRtEnvironment;
typedef struct LiteRtModelT *LiteRtModel;
typedef struct LiteRtOptionsT *LiteRtOptions;
typedef struct LiteRtOpaqueOptionsT *LiteRtOpaqueOptions;
typedef struct LiteRtCompiledModelT *LiteRtCompiledModel;
typedef struct LiteRtTensorBufferT *LiteRtTensorBuffer;

// Values of the 32-bit enumerations.
static const LiteRtStatus LITERT_STATUS_OK = 0;
static const LiteRtStatus LITERT_STATUS_INVALID_ARGUMENT = 1;
static const LiteRtStatus LITERT_STATUS_RUNTIME_FAILURE = 3;
static const int32_t LITERT_ACCELERATOR_CPU = 1;
static const int32_t LITERT_ELEMENT_FLOAT32 = 1;
static const int32_t LITERT_LOCK_READ = 0;
static const int32_t LITERT_LOCK_WRITE = 1;
static const int32_t LITERT_ANY_INT = 2;
static const int32_t LITERT_ENVIRONMENT_ACCELERATORS = 24;
static const int32_t LITERT_ENVIRONMENT_LOG_SEVERITY = 25;
static const int32_t LITERT_LOG_ERROR = 3;

typedef struct {
    int32_t type;
    union {
        bool boolean;
        int64_t integer;
        double real;
        const void *_Nullable pointer;
    } value;
} LiteRtAny;

typedef struct {
    int32_t tag;
    LiteRtAny value;
} LiteRtEnvOption;

#define LITERT_MAX_RANK 8

typedef struct {
    // Bits 0…6 are the rank, bit 7 says whether there are strides.
    uint32_t rank_and_flags;
    int32_t dimensions[LITERT_MAX_RANK];
    uint32_t strides[LITERT_MAX_RANK];
} LiteRtLayout;

typedef struct {
    int32_t element_type;
    LiteRtLayout layout;
} LiteRtRankedTensorType;

_Static_assert(sizeof(LiteRtAny) == 16, "LiteRtAny has another size");
_Static_assert(sizeof(LiteRtEnvOption) == 24, "LiteRtEnvOption has another size");
_Static_assert(sizeof(LiteRtLayout) == 68, "LiteRtLayout has another size");
_Static_assert(sizeof(LiteRtRankedTensorType) == 72, "LiteRtRankedTensorType has another size");

typedef struct {
    LiteRtStatus (*init)(void *_Nullable context, const void *_Nullable options, size_t size);
    LiteRtStatus (*output_layouts)(
        void *_Nullable context, size_t inputs, const LiteRtLayout *_Nullable input,
        size_t outputs, LiteRtLayout *_Nullable output);
    LiteRtStatus (*run)(
        void *_Nullable context, size_t inputs, const LiteRtTensorBuffer _Nonnull *_Nullable input,
        size_t outputs, const LiteRtTensorBuffer _Nonnull *_Nullable output);
    LiteRtStatus (*destroy)(void *_Nullable context);
} LiteRtCustomOpKernel;

typedef void (*LiteRtDeleter)(void *_Nullable);

// X(result, field of LiteRtFunctions, LiteRt function, parameters)
#define LITERT_FUNCTIONS(X) \
    X(LiteRtStatus, create_environment, LiteRtCreateEnvironment, \
      (int count, const LiteRtEnvOption *options, LiteRtEnvironment _Nullable *_Nonnull out)) \
    X(void, destroy_environment, LiteRtDestroyEnvironment, (LiteRtEnvironment)) \
    X(LiteRtStatus, create_model_from_buffer, LiteRtCreateModelFromBuffer, \
      (LiteRtEnvironment, const void *bytes, size_t count, LiteRtModel _Nullable *_Nonnull out)) \
    X(void, destroy_model, LiteRtDestroyModel, (LiteRtModel)) \
    X(LiteRtStatus, create_options, LiteRtCreateOptions, (LiteRtOptions _Nullable *_Nonnull out)) \
    X(void, destroy_options, LiteRtDestroyOptions, (LiteRtOptions)) \
    X(LiteRtStatus, set_hardware_accelerators, LiteRtSetOptionsHardwareAccelerators, (LiteRtOptions, int set)) \
    X(LiteRtStatus, create_opaque_options, LiteRtCreateOpaqueOptions, \
      (const char *identifier, void *payload, LiteRtDeleter, LiteRtOpaqueOptions _Nullable *_Nonnull out)) \
    X(LiteRtStatus, add_opaque_options, LiteRtAddOpaqueOptions, (LiteRtOptions, LiteRtOpaqueOptions)) \
    X(LiteRtStatus, add_custom_op_kernel, LiteRtAddCustomOpKernelOption, \
      (LiteRtOptions, const char *name, int version, const LiteRtCustomOpKernel *, void *_Nullable context)) \
    X(LiteRtStatus, create_compiled_model, LiteRtCreateCompiledModel, \
      (LiteRtEnvironment, LiteRtModel, LiteRtOptions, LiteRtCompiledModel _Nullable *_Nonnull out)) \
    X(void, destroy_compiled_model, LiteRtDestroyCompiledModel, (LiteRtCompiledModel)) \
    X(LiteRtStatus, create_tensor_buffer, LiteRtCreateTensorBufferFromHostMemory, \
      (const LiteRtRankedTensorType *type, void *memory, size_t count, LiteRtDeleter _Nullable, \
       LiteRtTensorBuffer _Nullable *_Nonnull out)) \
    X(void, destroy_tensor_buffer, LiteRtDestroyTensorBuffer, (LiteRtTensorBuffer)) \
    X(LiteRtStatus, get_tensor_buffer_type, LiteRtGetTensorBufferTensorType, \
      (LiteRtTensorBuffer, LiteRtRankedTensorType *out)) \
    X(LiteRtStatus, lock_tensor_buffer, LiteRtLockTensorBuffer, \
      (LiteRtTensorBuffer, void *_Nullable *_Nonnull address, int32_t mode)) \
    X(LiteRtStatus, unlock_tensor_buffer, LiteRtUnlockTensorBuffer, (LiteRtTensorBuffer)) \
    X(LiteRtStatus, run_compiled_model, LiteRtRunCompiledModel, \
      (LiteRtCompiledModel, size_t signature, size_t inputs, const LiteRtTensorBuffer _Nonnull *_Nonnull input, \
       size_t outputs, const LiteRtTensorBuffer _Nonnull *_Nonnull output))

// LiteRT's functions, as far as Facet needs them.
typedef struct {
#define LITERT_FIELD(result, field, symbol, parameters) result (*_Nonnull field) parameters;
    LITERT_FUNCTIONS(LITERT_FIELD)
#undef LITERT_FIELD
} LiteRtFunctions;

// Opens the library at `path` and finds its functions. The library stays until the process ends; the table is the
// caller's, to be given to free().
// Returns null and sets `reason`, valid until this thread next opens a library, if that fails.
const LiteRtFunctions *_Nullable LiteRtFunctionsLoad(const char *path, const char *_Nullable *_Nonnull reason);

// Compiles a model without TensorFlow Lite's line "INFO: Created TensorFlow Lite XNNPACK delegate for CPU.", which no
// option of LiteRT's switches off. Meanwhile C's stream `stderr`, a variable in the GNU C library, is one that leaves
// out this line and passes everything else on; descriptor 2 stays as it is.
LiteRtStatus LiteRtCompileQuietly(
    const LiteRtFunctions *functions, LiteRtEnvironment environment, LiteRtModel model, LiteRtOptions options,
    LiteRtCompiledModel _Nullable *_Nonnull out);

#pragma clang assume_nonnull end

#endif

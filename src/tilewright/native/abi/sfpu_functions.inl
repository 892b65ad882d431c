// SPDX-License-Identifier: Apache-2.0
// The vector unit's functions, one row each. Everything that lists them comes from here: the operations of the engine
// (abi/sfpu.h), the headers of the kernel API (_build/sfpu_headers.py writes them), the signatures of Python kernels
// (kernels/_api_table.py), the costs of the timing model, and the text of `tilewright explain`. C++ includes this file
// with the macros it needs; Python reads the rows as calls (_sfpu_functions.py).
//
// TW_SFPU_HEADER(path below api/compute, what it computes, options): the rows that follow are declared in this header.
//     include(NAME)          SFPU_OP_NAME_INCLUDE brings it (eltwise_unary/sfpu_split_includes.h)
//     by_hand                the header is a file, which declares its functions: they are more than one call of an
//                            operation, and their rows have no signatures
//     also("path")           the header includes this file too
//     blackhole_only         Wormhole has none of its functions
// TW_SFPU_UNARY(operation, constants its init call leaves in the unit, signatures, options), _BINARY, _TERNARY: one,
// two or three tiles to one tile. TW_SFPU_ALSO(arity, operation, signatures, options): another function of an operation
// that has its row elsewhere.
//     "name<...>(...)"       template parameters and parameters as in C++. Without a type a parameter is a uint32_t;
//                            `dest` is the flag for 32-bit DST, which the engine knows itself; `faces` is the
//                            VectorMode. No parentheses: (idst), (idst0, idst1, odst), (idst0, idst1, idst2, odst).
//     init("name<...>(...)") the init call, where it is not <name>_init(); init() where another row has it
//     older("name<...> = target")   an earlier spelling, in C++ only: it calls the target, a function of this row or the
//                            function with this DataFormat
//     pack                   <name>_pack and <name>_init_pack: the same on the pack thread
//     formats(...)           DataFormats that the template argument allows; masked: the operation gets the format's bits
//     or_if("condition", op) another operation where a template argument chooses it
//     passes(name)           a template argument that the operation gets as its next parameter
//     bh(a, b), wh(a, b)     cycles of a face on Blackhole and on Wormhole, with 16-bit and with 32-bit DST
//     tile(a)                cycles of a whole tile on either chip
// Costs of Blackhole: the cost table of tt-lang (measured). Costs of Wormhole: pull requests of tt-llk and tt-metal
// that give cycles of a tile (measured; a quarter of a tile here).
#ifndef TW_SFPU_UNARY
#define TW_SFPU_UNARY(...)
#endif
#ifndef TW_SFPU_BINARY
#define TW_SFPU_BINARY(...)
#endif
#ifndef TW_SFPU_TERNARY
#define TW_SFPU_TERNARY(...)
#endif
#define TW_SFPU_HEADER(...)
#define TW_SFPU_ALSO(...)

// --- exponentials, logarithms, roots, activations and signs without a header of their own ---
TW_SFPU_HEADER("compute_kernel_api.h", "Functions of the vector unit that have no header of their own.",
    include(COMPUTE_KERNEL_API), also("tw/sfpu_reductions.h"))
TW_SFPU_UNARY(Sigmoid, Reciprocal, "sigmoid_tile<auto vec_mode = VectorMode::RC, bool fast_and_approx = false, dest>",
    init("sigmoid_tile_init<bool fast_and_approx = false>"), pack, bh(314.4, 425.5), wh(325.0, 325.0))
TW_SFPU_UNARY(Silu, Reciprocal, "silu_tile<dest>", pack, bh(347.2, 345.7), wh(358.0, 358.0))
TW_SFPU_UNARY(Tanh, Tanh, "tanh_tile<bool fast_and_approx = false, dest>",
    init("tanh_tile_init<bool fast_and_approx = false, dest>"), pack, bh(136.2, 361.6), wh(202.0, 202.0))
TW_SFPU_UNARY(Heaviside, None, "heaviside_tile(idst, param0)")
TW_SFPU_UNARY(Log, Log, "log_tile<bool fast_and_approx = false, dest>",
    init("log_tile_init<bool fast_and_approx = false, dest>"), bh(154.2, 154.2), wh(179.5, 179.5))
// base_scale: 1 / ln(base) as float32 bits
TW_SFPU_UNARY(LogWithBase, Log,
    "log_with_base_tile<bool fast_and_approx = false, bool base_is_two = false, dest>(idst, base_scale)",
    init("log_with_base_tile_init<bool fast_and_approx = false, dest>"), passes(base_is_two), bh(160.0, 160.0))
TW_SFPU_UNARY(Exp2, Exp2, "exp2_tile<dest>", init("exp2_tile_init<dest>"), bh(218.6, 233.6), wh(222.5, 222.5))
TW_SFPU_UNARY(Expm1, Expm1, "expm1_tile<bool approx = false, dest>",
    init("expm1_tile_init<bool approx = false, dest>"), bh(314.2, 465.8))
TW_SFPU_UNARY(Square, None, "square_tile<dest>", bh(43.3, 50.3), wh(50.0, 50.0))
TW_SFPU_UNARY(Power, Power, "power_tile<dest>(idst, param0)", bh(761.8, 1239.0))
// param0: a whole number
TW_SFPU_UNARY(PowerIterative, None, "power_iterative_tile(idst, param0)")
TW_SFPU_UNARY(Abs, None, "abs_tile", bh(42.2, 41.2), wh(41.0, 41.0))
TW_SFPU_UNARY(AbsInt, None, "abs_tile_int32", init())
TW_SFPU_UNARY(Sign, None, "sign_tile", bh(90.3, 90.3))
TW_SFPU_UNARY(Signbit, None, "signbit_tile", bh(19.8, 19.8))
TW_SFPU_UNARY(SignbitInt, None, "signbit_tile_int32")
TW_SFPU_UNARY(MaxScalar, None, "unary_max_tile(idst, param0)", bh(50.0, 50.0))
TW_SFPU_UNARY(MinScalar, None, "unary_min_tile(idst, param0)", bh(50.0, 50.0))
TW_SFPU_UNARY(MaxScalarInt, None, "unary_max_int32_tile(idst, param0)")
TW_SFPU_UNARY(MinScalarInt, None, "unary_min_int32_tile(idst, param0)")
TW_SFPU_UNARY(MaxScalarUint, None, "unary_max_uint32_tile(idst, param0)")
TW_SFPU_UNARY(MinScalarUint, None, "unary_min_uint32_tile(idst, param0)")
TW_SFPU_UNARY(TiledProduct, None, "tiled_prod_tile")
TW_SFPU_UNARY(AltComplexRotate90, None, "alt_complex_rotate90_tile")

TW_SFPU_HEADER("eltwise_unary/exp.h", "Exponential.", include(EXP), by_hand)
TW_SFPU_UNARY(Exp, None, bh(151.95, 330.9), wh(290.3, 389.8))
TW_SFPU_UNARY(ExpScaled, None, bh(151.95, 330.9), wh(290.3, 389.8))
TW_SFPU_UNARY(ExpApproximate, ExpApproximate, bh(112.0, 113.5), wh(47.3, 47.3))
TW_SFPU_HEADER("eltwise_unary/log1p.h", "log(1 + x).", include(LOG1P))
TW_SFPU_UNARY(Log1p, Log1p, "log1p_tile<bool fast_and_approx = false, dest>",
    init("log1p_tile_init<bool fast_and_approx = false, dest>"), bh(274.4, 369.7))
TW_SFPU_HEADER("eltwise_unary/recip.h", "Reciprocal.", include(RECIP), by_hand)
TW_SFPU_UNARY(Reciprocal, Reciprocal, bh(76.1, 58.2), wh(227.5, 227.5))
TW_SFPU_HEADER("eltwise_unary/sqrt.h", "Square root.", include(SQRT))
TW_SFPU_UNARY(Sqrt, Root, "sqrt_tile<bool FAST_APPROX = false, dest>",
    older("sqrt_tile_init<bool fast_approx> = sqrt_tile_init"), bh(226.3, 217.1), wh(224.0, 216.0))
TW_SFPU_HEADER("eltwise_unary/rsqrt.h", "Reciprocal square root.", include(RSQRT), by_hand)
TW_SFPU_UNARY(Rsqrt, Root, bh(258.3, 249.4), wh(256.0, 248.0))
TW_SFPU_HEADER("eltwise_unary/cbrt.h", "Cube root.", include(CBRT))
TW_SFPU_UNARY(Cbrt, CubeRoot, "cbrt_tile<dest>")

// --- activations ---
TW_SFPU_HEADER("eltwise_unary/gelu.h", "GELU, its tanh form, and its derivative.", include(GELU))
TW_SFPU_UNARY(Gelu, None, "gelu_tile<bool fast_and_approx = true, dest>",
    init("gelu_tile_init<bool fast_and_approx = true, dest>"), pack, bh(714.4, 753.9), wh(712.5, 712.5))
TW_SFPU_UNARY(GeluTanh, None, "gelu_tanh_tile<dest, bool fast = false>",
    init("gelu_tanh_tile_init<bool fast = false>"), pack, bh(714.4, 753.9))
TW_SFPU_UNARY(GeluDerivative, None, "gelu_derivative_tile<bool fast_and_approx = false, dest>",
    init("gelu_derivative_tile_init<bool fast_and_approx = false>"))
TW_SFPU_HEADER("eltwise_unary/tanh_derivative.h", "1 - tanh(x)^2.", include(TANH_DERIVATIVE))
TW_SFPU_UNARY(TanhDerivative, None, "tanh_derivative_tile<bool fast_and_approx = false, dest>",
    init("tanh_derivative_tile_init<bool fast_and_approx = false>"))
TW_SFPU_HEADER("eltwise_unary/tanhshrink.h", "x - tanh(x).", include(TANHSHRINK))
TW_SFPU_UNARY(Tanhshrink, None, "tanhshrink_tile<dest>", init("tanhshrink_tile_init<dest>"))
TW_SFPU_HEADER("eltwise_unary/mish.h", "Mish: x * tanh(softplus(x)).", include(MISH))
TW_SFPU_UNARY(Mish, None, "mish_tile<bool APPROXIMATION_MODE, dest>", init("mish_tile_init<bool APPROXIMATION_MODE>"))
TW_SFPU_HEADER("eltwise_unary/hardmish.h", "Hard Mish.", include(HARDMISH))
TW_SFPU_UNARY(Hardmish, None, "hardmish_tile")
TW_SFPU_HEADER("eltwise_unary/activations.h",
    "Activations with a bend: hard sigmoid, soft sign, CELU, soft and hard shrink.", include(ACTIVATIONS))
TW_SFPU_UNARY(Hardsigmoid, None, "hardsigmoid_tile", pack, bh(121.8, 121.8))
TW_SFPU_UNARY(Softsign, None, "softsign_tile", bh(139.3, 139.3))
TW_SFPU_UNARY(Celu, None, "celu_tile<dest>(idst, alpha, alpha_reciprocal)")
TW_SFPU_UNARY(Softshrink, None, "softshrink_tile(idst, param0)")
TW_SFPU_UNARY(Hardshrink, None, "hardshrink_tile(idst, param0)")
TW_SFPU_HEADER("eltwise_unary/elu.h", "Exponential linear unit with slope param0.", include(ELU))
TW_SFPU_UNARY(Elu, None, "elu_tile<dest>(idst, param0)")
TW_SFPU_HEADER("eltwise_unary/selu.h", "Scaled exponential linear unit.", include(SELU))
TW_SFPU_UNARY(Selu, None, "selu_tile<dest>(idst, scale, alpha)", pack, bh(410.3, 410.3))
TW_SFPU_HEADER("eltwise_unary/softplus.h",
    "log(1 + exp(beta x)) / beta, and x itself where beta x is above the threshold.", include(SOFTPLUS))
TW_SFPU_UNARY(Softplus, None, "softplus_tile<dest>(idst, beta, beta_reciprocal, threshold)", pack)
TW_SFPU_HEADER("eltwise_unary/clamp.h", "Values cut to [param0, param1].", include(CLAMP))
TW_SFPU_UNARY(Clamp, None, "clamp_tile(idst, param0, param1)", bh(123.3, 123.3))
TW_SFPU_UNARY(ClampInt, None, "clamp_tile_int32(idst, param0, param1)", init())
TW_SFPU_HEADER("eltwise_unary/hardtanh.h", "Values cut to [param0, param1].", include(HARDTANH))
TW_SFPU_ALSO(Unary, Clamp, "hardtanh_tile(idst, param0, param1)", pack)
TW_SFPU_HEADER("eltwise_unary/softcap.h", "beta * tanh(x / beta).", include(SOFTCAP), blackhole_only)
TW_SFPU_UNARY(Softcap, None, "softcap_tile(idst, beta, beta_reciprocal)")
TW_SFPU_HEADER("eltwise_unary/xielu.h", "xIELU with its two alphas.", include(XIELU))
TW_SFPU_UNARY(Xielu, None, "xielu_tile<dest>(idst, param0, param1)")
TW_SFPU_HEADER("eltwise_unary/prelu.h", "Negative values times param0.", include(PRELU))
TW_SFPU_UNARY(Prelu, None, "prelu_tile(idst, param0)")
TW_SFPU_HEADER("eltwise_unary/relu.h",
    "ReLU and its bounded and leaky forms; thresholds are float32 bits, or integers for the integer forms.",
    include(RELU_FAMILY))
TW_SFPU_ALSO(Unary, ReluMin, "relu_tile")
TW_SFPU_UNARY(ReluMin, None, "relu_min_tile(idst, param0)", bh(37.0, 37.0), wh(75.0, 75.0))
TW_SFPU_UNARY(ReluMax, None, "relu_max_tile(idst, param0)", pack, bh(45.0, 45.0), wh(97.5, 97.5))
TW_SFPU_ALSO(Unary, MaxScalarInt, "relu_tile_int32", "relu_min_tile_int32(idst, param0)", init())
TW_SFPU_ALSO(Unary, MaxScalarUint, "relu_min_tile_uint32(idst, param0)", "relu_min_tile_uint16(idst, param0)", init())
TW_SFPU_UNARY(ReluMaxInt, None, "relu_max_tile_int32(idst, param0)", init())
TW_SFPU_ALSO(Unary, MinScalarUint, "relu_max_tile_uint32(idst, param0)", "relu_max_tile_uint16(idst, param0)", init())
TW_SFPU_ALSO(Unary, Prelu, "leaky_relu_tile(idst, slope = 0)")
TW_SFPU_HEADER("eltwise_unary/threshold.h", "Values up to param0 become param1.", include(THRESHOLD))
TW_SFPU_UNARY(Threshold, None, "threshold_tile(idst, param0, param1)", bh(50.0, 50.0))

// --- sign, rounding, copies ---
TW_SFPU_HEADER("eltwise_unary/negative.h", "The sign turned.", include(NEG))
TW_SFPU_UNARY(Negative, None, "negative_tile", bh(42.2, 41.2), wh(41.0, 41.0))
TW_SFPU_UNARY(NegativeInt, None, "negative_tile_int32", init())
TW_SFPU_HEADER("eltwise_unary/identity.h", "A tile rewritten as it is.", include(IDENTITY))
TW_SFPU_UNARY(Identity, None, "identity_tile", bh(31.0, 31.0))
TW_SFPU_HEADER("eltwise_unary/rounding.h", "Rounding to whole numbers, to decimals, and at random to bfloat16.",
    include(ROUND_FAMILY))
TW_SFPU_UNARY(Floor, None, "floor_tile", init("rounding_op_tile_init"), older("floor_tile_float32 = floor_tile"),
    bh(122.9, 122.9), wh(130.0, 130.0))
TW_SFPU_UNARY(Ceil, None, "ceil_tile", init(), older("ceil_tile_float32 = ceil_tile"), bh(122.9, 122.9),
    wh(130.0, 130.0))
TW_SFPU_UNARY(Trunc, None, "trunc_tile", init(), older("trunc_tile_float32 = trunc_tile"), bh(98.8, 98.8),
    wh(110.0, 110.0))
TW_SFPU_UNARY(Frac, None, "frac_tile", init(), older("frac_tile_float32 = frac_tile"), bh(108.2, 108.2),
    wh(126.0, 126.0))
TW_SFPU_UNARY(Round, None, "round_tile(idst, int32_t decimals)", init())
TW_SFPU_UNARY(StochasticRound, None, "stochastic_round_tile", init())
TW_SFPU_HEADER("eltwise_unary/fill.h", "A tile of one value.", include(FILL), by_hand)
TW_SFPU_UNARY(Fill, None, bh(27.3, 27.3))
TW_SFPU_UNARY(FillWord, None, bh(27.3, 27.3))

// --- trigonometry and special functions ---
TW_SFPU_HEADER("eltwise_unary/trigonometry.h", "Trigonometric and hyperbolic functions and their inverses.",
    include(TRIG_FAMILY))
TW_SFPU_UNARY(Sin, Sine, "sin_tile<dest>", bh(240.4, 240.4), wh(223.5, 223.5))
TW_SFPU_UNARY(Cos, Sine, "cos_tile<dest>", bh(280.3, 280.3), wh(255.5, 255.5))
TW_SFPU_UNARY(Tan, Tangent, "tan_tile<dest>", bh(322.3, 322.3))
TW_SFPU_UNARY(Asin, None, "asin_tile<dest>", init("asin_tile_init<dest>"), bh(578.3, 578.3))
TW_SFPU_UNARY(Acos, None, "acos_tile<dest>", init("acos_tile_init<dest>"), bh(586.2, 586.2))
TW_SFPU_UNARY(Atan, None, "atan_tile<dest>", init("atan_tile_init<dest>"), bh(426.5, 426.5))
TW_SFPU_UNARY(Sinh, None, "sinh_tile<dest>", init("sinh_tile_init<dest>"))
TW_SFPU_UNARY(Cosh, None, "cosh_tile<dest>", init("cosh_tile_init<dest>"))
TW_SFPU_UNARY(Asinh, None, "asinh_tile<dest>", init("asinh_tile_init<dest>"))
TW_SFPU_UNARY(Acosh, None, "acosh_tile<dest>", init("acosh_tile_init<dest>"))
TW_SFPU_UNARY(Atanh, None, "atanh_tile<dest>", init("atanh_tile_init<dest>"))
TW_SFPU_HEADER("eltwise_unary/erf_erfc.h", "Error function and its complement.", include(ERF_ERFC))
TW_SFPU_UNARY(Erf, None, "erf_tile<bool fast_and_approx = true>", init("erf_tile_init<bool fast_and_approx = true>"),
    bh(387.4, 387.4))
TW_SFPU_UNARY(Erfc, None, "erfc_tile",
    older("erfc_tile<bool fast_and_approx> = erfc_tile", "erfc_tile_init<bool fast_and_approx> = erfc_tile_init"),
    bh(651.0, 651.0))
TW_SFPU_HEADER("eltwise_unary/erfinv.h", "Inverse error function.", include(ERFINV))
TW_SFPU_UNARY(Erfinv, None, "erfinv_tile")
TW_SFPU_HEADER("eltwise_unary/i0.h", "Modified Bessel function of order 0.", include(I0))
TW_SFPU_UNARY(BesselI0, None, "i0_tile")
TW_SFPU_HEADER("eltwise_unary/i1.h", "Modified Bessel function of order 1.", include(I1))
TW_SFPU_UNARY(BesselI1, None, "i1_tile")
TW_SFPU_HEADER("eltwise_unary/digamma.h", "The logarithmic derivative of the gamma function.", include(DIGAMMA))
TW_SFPU_UNARY(Digamma, None, "digamma_tile")
TW_SFPU_HEADER("eltwise_unary/polygamma.h", "Derivative n of digamma; scale is (-1)^(n+1) n!, both as float32 bits.",
    include(POLYGAMMA))
TW_SFPU_UNARY(Polygamma, None, "polygamma_tile<dest>(idst, n, scale)")
TW_SFPU_HEADER("eltwise_unary/lgamma.h",
    "The parts of log gamma: Stirling's series, and the reflection that completes it below one half.", include(LGAMMA))
TW_SFPU_UNARY(LgammaStirling, None, "lgamma_stirling_tile<dest>")
// idst1 holds log(z)
TW_SFPU_BINARY(LgammaStirling, None, "lgamma_stirling_float_tile")
// idst0: Stirling's value, idst1: log|sin(pi x)|, idst2: x
TW_SFPU_TERNARY(LgammaAdjusted, None, "lgamma_adjusted_tile<dest>(idst0, idst1, idst2, idst3)")

// --- with a scalar ---
TW_SFPU_HEADER("eltwise_unary/binop_with_scalar.h",
    "Arithmetic of a tile with one number, given as float32 bits (or as an integer).", include(BINOP_WITH_SCALAR))
TW_SFPU_UNARY(AddScalar, None, "add_unary_tile<dest>(idst, param1)", init("binop_with_scalar_tile_init"),
    bh(37.0, 37.0), wh(50.0, 50.0))
TW_SFPU_UNARY(SubScalar, None, "sub_unary_tile<dest>(idst, param1)", init(), bh(37.0, 37.0), wh(50.0, 50.0))
TW_SFPU_UNARY(MulScalar, None, "mul_unary_tile<dest>(idst, param1)", init(), bh(37.0, 37.0), wh(50.0, 50.0))
// param1: the divisor's reciprocal
TW_SFPU_UNARY(DivScalar, None, "div_unary_tile<dest>(idst, param1)", init(), bh(37.0, 37.0), wh(50.0, 50.0))
TW_SFPU_UNARY(RsubScalar, None, "rsub_unary_tile<dest>(idst, param1)", init(), bh(37.0, 37.0), wh(50.0, 50.0))
TW_SFPU_UNARY(AddScalarInt, None, "add_unary_tile_int32(idst, param1)", init())
TW_SFPU_UNARY(SubScalarInt, None, "sub_unary_tile_int32(idst, param1)", init())
TW_SFPU_HEADER("eltwise_unary/rsub.h", "A number minus the tile.", include(RSUB),
    also("api/compute/eltwise_unary/binop_with_scalar.h"))
TW_SFPU_ALSO(Unary, RsubScalar, "rsub_tile<dest>(idst, param0)")
TW_SFPU_UNARY(RsubScalarInt, None, "rsub_unary_int32_tile(idst, scalar)")
TW_SFPU_HEADER("eltwise_unary/rdiv.h", "A number divided by the tile.", include(RDIV))
TW_SFPU_UNARY(Rdiv, None, "rdiv_tile<RoundingMode rounding_mode = RoundingMode::None, dest>(dst_index, value, faces)",
    passes(rounding_mode))
TW_SFPU_HEADER("eltwise_unary/rpow.h", "A number to the power of the tile.", include(RPOW))
TW_SFPU_UNARY(Rpow, BinaryPower, "rpow_tile<dest>(idst, base_val, faces)")
TW_SFPU_HEADER("eltwise_unary/fmod.h",
    "C's fmod by one divisor, which the init call takes together with its reciprocal.", include(FMOD), by_hand)
TW_SFPU_UNARY(Fmod, None)
TW_SFPU_HEADER("eltwise_unary/remainder.h",
    "Remainder with the divisor's sign; the init call takes the divisor and its reciprocal.", include(REMAINDER),
    by_hand)
TW_SFPU_UNARY(Remainder, None)
TW_SFPU_UNARY(RemainderScalarUint, None)

// --- comparisons: 1 where true, 0 elsewhere ---
TW_SFPU_HEADER("eltwise_unary/comp.h", "Comparisons with zero and with one number: 1 where true, 0 elsewhere.",
    include(UNARY_COMP))
TW_SFPU_UNARY(EqualZero, None, "eqz_tile", bh(58.3, 58.3))
TW_SFPU_UNARY(NotEqualZero, None, "nez_tile", bh(58.3, 58.3))
TW_SFPU_UNARY(LessZero, None, "ltz_tile", bh(75.6, 75.6))
TW_SFPU_UNARY(GreaterZero, None, "gtz_tile", bh(75.6, 75.6))
TW_SFPU_UNARY(LessEqualZero, None, "lez_tile", bh(91.6, 91.6))
TW_SFPU_UNARY(GreaterEqualZero, None, "gez_tile", bh(91.6, 91.6))
TW_SFPU_UNARY(EqualZeroInt, None, "eqz_tile_int32", "eqz_tile_uint16", "eqz_tile_uint32", init())
TW_SFPU_UNARY(NotEqualZeroInt, None, "nez_tile_int32", "nez_tile_uint16", "nez_tile_uint32", init())
TW_SFPU_UNARY(LessZeroInt, None, "ltz_tile_int32", init())
TW_SFPU_UNARY(GreaterZeroInt, None, "gtz_tile_int32", init())
TW_SFPU_UNARY(LessEqualZeroInt, None, "lez_tile_int32", init())
TW_SFPU_UNARY(GreaterEqualZeroInt, None, "gez_tile_int32", init())
TW_SFPU_UNARY(EqualScalar, None, "unary_eq_tile(idst, param0)")
TW_SFPU_UNARY(NotEqualScalar, None, "unary_ne_tile(idst, param0)")
TW_SFPU_UNARY(LessScalar, None, "unary_lt_tile(idst, param0)")
TW_SFPU_UNARY(GreaterScalar, None, "unary_gt_tile(idst, param0)")
TW_SFPU_UNARY(LessEqualScalar, None, "unary_le_tile(idst, param0)")
TW_SFPU_UNARY(GreaterEqualScalar, None, "unary_ge_tile(idst, param0)")
TW_SFPU_UNARY(EqualScalarInt, None, "unary_eq_tile_int32(idst, param0)", init())
TW_SFPU_UNARY(NotEqualScalarInt, None, "unary_ne_tile_int32(idst, param0)", init())
TW_SFPU_UNARY(LessScalarInt, None, "unary_lt_tile_int32(idst, param0)", init())
TW_SFPU_UNARY(GreaterScalarInt, None, "unary_gt_tile_int32(idst, param0)", init())
TW_SFPU_UNARY(LessEqualScalarInt, None, "unary_le_tile_int32(idst, param0)", init())
TW_SFPU_UNARY(GreaterEqualScalarInt, None, "unary_ge_tile_int32(idst, param0)", init())
TW_SFPU_HEADER("eltwise_unary/isinf_isnan.h", "Tests for infinities and NaN: 1.0 where true, 0.0 elsewhere.",
    include(ISINF_ISNAN))
TW_SFPU_UNARY(IsInf, None, "isinf_tile")
TW_SFPU_UNARY(IsPosInf, None, "isposinf_tile")
TW_SFPU_UNARY(IsNegInf, None, "isneginf_tile")
TW_SFPU_UNARY(IsNan, None, "isnan_tile")
TW_SFPU_UNARY(IsFinite, None, "isfinite_tile")
TW_SFPU_HEADER("eltwise_unary/logical_not.h", "1 where the tile is zero, 0 elsewhere.", include(LOGICAL_NOT))
TW_SFPU_UNARY(LogicalNot, None, "logical_not_tile<DataFormat DATA_FORMAT>",
    or_if("sfpu_call::is_integer_format(DATA_FORMAT)", LogicalNotInt),
    formats(Float32, Float16_b, Bfp8_b, Bfp4_b, Int32, UInt32, UInt16),
    older("logical_not_unary_tile = Float16_b", "logical_not_unary_tile_int32 = Int32",
        "logical_not_unary_tile_uint32 = UInt32", "logical_not_unary_tile_uint16 = UInt16",
        "logical_not_unary_tile_init = logical_not_tile_init"))
TW_SFPU_UNARY(LogicalNotInt, None)

// --- bits of integers ---
TW_SFPU_HEADER("eltwise_unary/bitwise.h", "Bitwise operations of an integer tile with one number.", include(BITWISE),
    by_hand)
TW_SFPU_UNARY(BitwiseAnd, None)
TW_SFPU_UNARY(BitwiseOr, None)
TW_SFPU_UNARY(BitwiseXor, None)
TW_SFPU_HEADER("eltwise_unary/bitwise_not.h", "Every bit of an integer tile inverted.", include(BITWISE_NOT))
TW_SFPU_UNARY(BitwiseNot, None, "bitwise_not_tile")
TW_SFPU_HEADER("eltwise_unary/shift.h", "Shifts of an integer tile by one number.", include(SHIFT))
TW_SFPU_UNARY(LeftShift, None, "left_shift_tile<DataFormat data_format>(idst, param0)", formats(Int32, UInt32, UInt16),
    masked, older("left_shift_tile = Int32"))
TW_SFPU_UNARY(RightShift, None, "right_shift_tile<DataFormat data_format>(idst, param0)",
    formats(Int32, UInt32, UInt16), or_if("sfpu_call::is_unsigned_format(data_format)", LogicalRightShift),
    older("right_shift_tile = Int32"))
TW_SFPU_UNARY(LogicalRightShift, None)

// --- random numbers ---
TW_SFPU_HEADER("eltwise_unary/rand.h", "Uniform random numbers in [from, from + scale).", by_hand)
TW_SFPU_UNARY(Rand, None)
TW_SFPU_HEADER("eltwise_unary/dropout.h",
    "Zeros at random: probability in units of 2^-31, the rest times scale_factor.", include(DROPOUT), by_hand)
TW_SFPU_UNARY(Dropout, None)

// --- two tiles: floats ---
TW_SFPU_HEADER("eltwise_binary_sfpu.h",
    "Float arithmetic and comparisons of two tiles in DST. Into 16-bit DST a sum is cut off unless the kernel "
    "asks for rounding.", include(BINARY_DIV))
TW_SFPU_BINARY(Add, None, "add_binary_tile<DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, dest>",
    or_if("dst_rounding_mode == DstRoundingMode::NearestEven", AddRounded), tile(180.6))
TW_SFPU_BINARY(Sub, None, "sub_binary_tile<DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, dest>",
    or_if("dst_rounding_mode == DstRoundingMode::NearestEven", SubRounded), tile(180.6))
TW_SFPU_BINARY(Rsub, None, "rsub_binary_tile<DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, dest>",
    or_if("dst_rounding_mode == DstRoundingMode::NearestEven", RsubRounded), tile(180.6))
TW_SFPU_BINARY(AddRounded, None, tile(180.6))
TW_SFPU_BINARY(SubRounded, None, tile(180.6))
TW_SFPU_BINARY(RsubRounded, None, tile(180.6))
TW_SFPU_BINARY(Mul, None, "mul_binary_tile<dest>", tile(180.6))
TW_SFPU_BINARY(Div, Reciprocal, "div_binary_tile<dest>", tile(1072.7))
TW_SFPU_BINARY(Power, BinaryPower, "power_binary_tile<dest>", tile(3216.7))
TW_SFPU_BINARY(Equal, None, "eq_binary_tile", tile(469.8))
TW_SFPU_BINARY(NotEqual, None, "ne_binary_tile", tile(469.8))
TW_SFPU_BINARY(Less, None, "lt_binary_tile", tile(373.5))
TW_SFPU_BINARY(Greater, None, "gt_binary_tile", tile(373.5))
TW_SFPU_BINARY(LessEqual, None, "le_binary_tile", tile(437.8))
TW_SFPU_BINARY(GreaterEqual, None, "ge_binary_tile", tile(437.8))
TW_SFPU_HEADER("binary_max_min.h", "The larger or smaller element of two tiles.", include(BINARY_MAX_MIN))
TW_SFPU_BINARY(Max, None, "binary_max_tile(idst0, idst1, odst, faces)", tile(123.2))
TW_SFPU_BINARY(Min, None, "binary_min_tile(idst0, idst1, odst, faces)", tile(123.2))
TW_SFPU_BINARY(MaxInt, None, "binary_max_int32_tile")
TW_SFPU_BINARY(MinInt, None, "binary_min_int32_tile")
TW_SFPU_BINARY(MaxUint, None, "binary_max_uint32_tile")
TW_SFPU_BINARY(MinUint, None, "binary_min_uint32_tile")
TW_SFPU_HEADER("atan2.h", "The angle of the point (idst1, idst0).", include(BINARY_ATAN2))
TW_SFPU_BINARY(Atan2, None, "atan2_binary_tile<dest>", init("atan2_binary_tile_init<dest>"), tile(1265.0))
TW_SFPU_HEADER("binary_fmod.h", "C's fmod of two tiles.", include(BINARY_FMOD))
TW_SFPU_BINARY(Fmod, None, "fmod_binary_tile<dest>")
TW_SFPU_BINARY(FmodInt, None, "fmod_int32_tile")
TW_SFPU_HEADER("binary_remainder.h", "Remainder of two tiles, with the divisor's sign.", include(BINARY_REMAINDER))
TW_SFPU_BINARY(Remainder, None, "remainder_binary_tile<dest>")
TW_SFPU_BINARY(RemainderInt, None, "remainder_int32_tile")
TW_SFPU_BINARY(RemainderUint, None, "remainder_uint32_tile")
TW_SFPU_HEADER("nextafter.h", "The next float32 (or bfloat16) after idst0 towards idst1.")
TW_SFPU_BINARY(Nextafter, None, "nextafter_binary_tile<dest>")
TW_SFPU_BINARY(NextafterBfloat16, None, "nextafter_bf16_binary_tile<dest>")
TW_SFPU_HEADER("isclose.h", "1.0 where |a - b| <= atol + rtol |b|.", include(BINARY_ISCLOSE))
TW_SFPU_BINARY(Isclose, None, "isclose_binary_tile<bool EQUAL_NAN = false>(idst0, idst1, odst, rtol_bits, atol_bits)",
    or_if("EQUAL_NAN", IscloseEqualNan))
TW_SFPU_BINARY(IscloseEqualNan, None)
TW_SFPU_HEADER("xlogy.h", "x * log(y).")
TW_SFPU_BINARY(Xlogy, None, "xlogy_binary_tile<dest>")
TW_SFPU_HEADER("logaddexp.h", "log(exp(a) + exp(b)).", include(BINARY_LOGADDEXP))
TW_SFPU_BINARY(Logaddexp, None, "logaddexp_binary_tile<dest>", init("logaddexp_binary_tile_init<dest>"))
TW_SFPU_HEADER("logaddexp2.h", "log2(2^a + 2^b).", include(BINARY_LOGADDEXP))
TW_SFPU_BINARY(Logaddexp2, None, "logaddexp2_binary_tile<dest>", init("logaddexp2_binary_tile_init<dest>"))
TW_SFPU_HEADER("logsigmoid.h", "log(sigmoid(x)); the second tile holds exp(-x).", include(LOGSIGMOID))
TW_SFPU_BINARY(Logsigmoid, None, "logsigmoid_tile")
TW_SFPU_HEADER("situ_glu.h", "Gated activation of idst0 (gate) and idst1 (up).", include(SITU_GLU), blackhole_only)
TW_SFPU_BINARY(SituGlu, None, "situ_glu_tile(idst0, idst1, odst, faces)")
TW_SFPU_HEADER("clamped_silu_glu.h", "Gated activation of idst0 (gate) and idst1 (up).", include(CLAMPED_SILU_GLU),
    blackhole_only)
TW_SFPU_BINARY(ClampedSiluGlu, None, "clamped_silu_glu_tile(idst0, idst1, odst, faces)")

// --- two tiles: integers ---
TW_SFPU_HEADER("add_int_sfpu.h", "Sum of two integer tiles.", include(BINARY_ADD_INT))
TW_SFPU_BINARY(AddInt, None, "add_int_tile<DataFormat data_format>", formats(Int32, UInt32, UInt16), masked,
    older("add_int32_tile = Int32", "add_uint32_tile = UInt32", "add_uint16_tile = UInt16"), tile(370.9))
TW_SFPU_HEADER("sub_int_sfpu.h", "Difference of two integer tiles, either way round.", include(BINARY_SUB_INT))
TW_SFPU_BINARY(SubInt, None, "sub_int_tile<DataFormat data_format>", formats(Int32, UInt32, UInt16), masked,
    older("sub_int32_tile = Int32", "sub_uint32_tile = UInt32", "sub_uint16_tile = UInt16"), tile(370.9))
TW_SFPU_BINARY(RsubInt, None, "rsub_int_tile<DataFormat data_format>", formats(Int32, UInt32, UInt16), masked,
    older("rsub_int32_tile = Int32", "rsub_int32_tile_init = rsub_int_tile_init"))
TW_SFPU_HEADER("mul_int_sfpu.h", "Product of two integer tiles, its low bits.", include(BINARY_MUL_INT))
TW_SFPU_BINARY(MulInt, None, "mul_int_tile<DataFormat data_format>", init("mul_int_tile_init<DataFormat data_format>"),
    formats(Int32, UInt32, UInt16), masked,
    older("mul_int32_tile = Int32", "mul_uint32_tile = UInt32", "mul_uint16_tile = UInt16",
        "mul_int32_tile_init = mul_int_tile_init<DataFormat::Int32>",
        "mul_int_tile_init = mul_int_tile_init<DataFormat::Int32>"), tile(287.4))
TW_SFPU_HEADER("div_int32_sfpu.h", "Quotient of two Int32 tiles as a float.", include(BINARY_DIV_INT32))
TW_SFPU_BINARY(DivInt, None, "div_int32_tile")
TW_SFPU_HEADER("div_int32_floor.h", "Quotient of two Int32 tiles, rounded down or towards zero.",
    include(BINARY_DIV_INT32_FLOOR))
TW_SFPU_BINARY(DivIntFloor, None, "div_int32_floor_tile")
TW_SFPU_BINARY(DivIntTrunc, None, "div_int32_trunc_tile")
TW_SFPU_HEADER("gcd.h", "Greatest common divisor of two Int32 tiles.")
TW_SFPU_BINARY(Gcd, None, "gcd_tile")
TW_SFPU_HEADER("lcm.h", "Least common multiple of two Int32 tiles.")
TW_SFPU_BINARY(Lcm, None, "lcm_tile")
TW_SFPU_HEADER("binary_comp.h", "Comparisons of two integer tiles: 1 where true, 0 elsewhere.", include(BINARY_GT_INT))
TW_SFPU_BINARY(EqualInt, None, "eq_int_tile<DataFormat data_format>", init("eq_int_tile_init<DataFormat data_format>"),
    formats(Int32, UInt32, UInt16),
    older("eq_int32_tile = Int32", "eq_int32_tile_init = eq_int_tile_init<DataFormat::Int32>"))
TW_SFPU_BINARY(NotEqualInt, None, "ne_int_tile<DataFormat data_format>",
    init("ne_int_tile_init<DataFormat data_format>"), formats(Int32, UInt32, UInt16),
    older("ne_int32_tile = Int32", "ne_int32_tile_init = ne_int_tile_init<DataFormat::Int32>"))
TW_SFPU_BINARY(LessInt, None, "lt_int_tile<DataFormat data_format>", init("lt_int_tile_init<DataFormat data_format>"),
    formats(Int32, UInt32, UInt16), or_if("sfpu_call::is_unsigned_format(data_format)", LessUint),
    older("lt_int32_tile = Int32", "lt_int32_tile_init = lt_int_tile_init<DataFormat::Int32>"))
TW_SFPU_BINARY(GreaterInt, None, "gt_int_tile<DataFormat data_format>",
    init("gt_int_tile_init<DataFormat data_format>"), formats(Int32, UInt32, UInt16),
    or_if("sfpu_call::is_unsigned_format(data_format)", GreaterUint),
    older("gt_int32_tile = Int32", "gt_int32_tile_init = gt_int_tile_init<DataFormat::Int32>"))
TW_SFPU_BINARY(LessEqualInt, None, "le_int_tile<DataFormat data_format>",
    init("le_int_tile_init<DataFormat data_format>"), formats(Int32, UInt32, UInt16),
    or_if("sfpu_call::is_unsigned_format(data_format)", LessEqualUint),
    older("le_int32_tile = Int32", "le_int32_tile_init = le_int_tile_init<DataFormat::Int32>"))
TW_SFPU_BINARY(GreaterEqualInt, None, "ge_int_tile<DataFormat data_format>",
    init("ge_int_tile_init<DataFormat data_format>"), formats(Int32, UInt32, UInt16),
    or_if("sfpu_call::is_unsigned_format(data_format)", GreaterEqualUint),
    older("ge_int32_tile = Int32", "ge_int32_tile_init = ge_int_tile_init<DataFormat::Int32>"))
TW_SFPU_BINARY(LessUint, None)
TW_SFPU_BINARY(GreaterUint, None)
TW_SFPU_BINARY(LessEqualUint, None)
TW_SFPU_BINARY(GreaterEqualUint, None)
TW_SFPU_HEADER("binary_bitwise_sfpu.h", "Bitwise operations of two integer tiles.", include(BINARY_BITWISE))
TW_SFPU_BINARY(BitwiseAnd, None, "bitwise_and_binary_tile<DataFormat data_format>", init("binary_bitwise_tile_init"),
    formats(Int32, UInt32, UInt16),
    older("bitwise_and_binary_tile = Int32", "bitwise_and_uint32_binary_tile = UInt32",
        "bitwise_and_uint16_binary_tile = UInt16"))
TW_SFPU_BINARY(BitwiseOr, None, "bitwise_or_binary_tile<DataFormat data_format>", init(),
    formats(Int32, UInt32, UInt16),
    older("bitwise_or_binary_tile = Int32", "bitwise_or_uint32_binary_tile = UInt32",
        "bitwise_or_uint16_binary_tile = UInt16"))
TW_SFPU_BINARY(BitwiseXor, None, "bitwise_xor_binary_tile<DataFormat data_format>", init(),
    formats(Int32, UInt32, UInt16),
    older("bitwise_xor_binary_tile = Int32", "bitwise_xor_uint32_binary_tile = UInt32",
        "bitwise_xor_uint16_binary_tile = UInt16"))
TW_SFPU_HEADER("binary_shift.h", "One integer tile shifted by another.", include(BINARY_SHIFT), by_hand)
TW_SFPU_BINARY(LeftShift, None)
TW_SFPU_BINARY(RightShift, None)
TW_SFPU_BINARY(LogicalRightShift, None)
TW_SFPU_BINARY(ClampedLogicalRightShift, None)

// --- quantisation: the first tile with the second as scale, and the zero point the init call left ---
TW_SFPU_HEADER("quantization.h",
    "Quantisation: idst0 is scaled by idst1, the zero point (float32 bits) comes from the init call.", by_hand)
TW_SFPU_BINARY(QuantInt32, None)
TW_SFPU_BINARY(QuantUint8, None)
TW_SFPU_BINARY(QuantInt8, None)
TW_SFPU_BINARY(RequantInt32, None)
TW_SFPU_BINARY(RequantUint8, None)
TW_SFPU_BINARY(RequantInt8, None)
TW_SFPU_BINARY(RequantInt8ToInt32, None)
TW_SFPU_BINARY(RequantInt8ToUint8, None)
TW_SFPU_BINARY(RequantInt8ToInt8, None)
TW_SFPU_BINARY(DequantInt32, None)
TW_SFPU_BINARY(DequantInt8, None)

// --- three tiles ---
TW_SFPU_HEADER("eltwise_unary/where.h", "odst = tile 1 where tile 0 is not zero, else tile 2.", include(WHERE))
TW_SFPU_TERNARY(Where, None, "where_tile<DataFormat data_format>", formats(Float32, Float16_b, Int32, UInt32),
    older("where_tile = Float16_b", "where_fp32_tile = Float32", "where_int32_tile = Int32",
        "where_uint32_tile = UInt32"))
TW_SFPU_HEADER("eltwise_unary/mac.h", "odst = tile 0 * tile 1 + tile 2.", include(MAC))
TW_SFPU_TERNARY(MultiplyAdd, None, "mac_tile<DataFormat data_format>", init("mac_tile_init<DataFormat data_format>"),
    formats(Float32, Float16_b))
TW_SFPU_HEADER("eltwise_unary/lerp.h", "odst = tile 0 + tile 2 * (tile 1 - tile 0).", include(LERP))
TW_SFPU_TERNARY(Lerp, None, "lerp_tile<DataFormat data_format, dest>", formats(Float32, Float16_b))
TW_SFPU_HEADER("eltwise_unary/addcmul.h", "odst = tile 0 + value * tile 1 * tile 2.", include(ADDCMUL))
TW_SFPU_TERNARY(Addcmul, None, "addcmul_tile<DataFormat data_format, dest>(idst0, idst1, idst2, odst, value)",
    formats(Float32, Float16_b, Bfp8_b))
TW_SFPU_HEADER("eltwise_unary/addcdiv.h", "odst = tile 0 + value * tile 1 / tile 2.", include(ADDCDIV))
TW_SFPU_TERNARY(Addcdiv, None, "addcdiv_tile<DataFormat data_format, dest>(idst0, idst1, idst2, odst, value)",
    formats(Float32, Float16_b))
TW_SFPU_HEADER("eltwise_unary/snake_beta.h", "Snake: x + sin(alpha x)^2 / beta.", include(SNAKE_BETA))
TW_SFPU_TERNARY(SnakeBeta, None,
    "snake_beta_tile<DataFormat data_format, dest>(idst_x, idst_alpha, idst_beta, idst_out)",
    formats(Float32, Float16_b))

// --- headers of functions that are no element-wise operation ---
TW_SFPU_HEADER("eltwise_unary/typecast.h", "Changing the data type of a tile in DST.", include(TYPECAST), by_hand)
TW_SFPU_HEADER("eltwise_unary/sfpu_int_sum.h", "Sums inside an Int32 tile.", include(INT_SUM), by_hand)
TW_SFPU_HEADER("mask.h", "Elements cleared where the mask tile is zero.", include(MASK), by_hand)
TW_SFPU_HEADER("copy_dest_values.h", "One DST tile copied over another.", include(COPY_DEST), by_hand)

#undef TW_SFPU_UNARY
#undef TW_SFPU_BINARY
#undef TW_SFPU_TERNARY
#undef TW_SFPU_HEADER
#undef TW_SFPU_ALSO

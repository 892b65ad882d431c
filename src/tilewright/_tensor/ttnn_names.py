# SPDX-License-Identifier: Apache-2.0
"""The ttnn release that tests run with, and its public names: a name of them is not simulated, another is misspelt.

``tests/program/test_against_ttnn.py`` compares the names with the installed package.
"""

from __future__ import annotations

TTNN_VERSION = "0.81.1"
TTNN_RELEASE = TTNN_VERSION.rpartition(".")[0]

TTNN_NAMES = frozenset(
    """
    Arch BcastOpDim BcastOpMath BinaryOpType BufferType CBDescriptor CBFormatDescriptor CONFIG
    CONFIG_OVERRIDES CONFIG_PATH ChunkGdnFusedProgramConfig ChunkGdnMonoProgramConfig
    ChunkGdnPhasedProgramConfig ChunkGdnWyInverse CloseDevice CloseDevices ComputeConfigDescriptor
    ConcatMesh2dToTensor ConcatMeshToTensor Config Conv1dConfig Conv2dConfig Conv2dDRAMSliceHeight
    Conv2dDRAMSliceWidth Conv2dL1Full Conv2dL1FullSliceConfig Conv2dSliceConfig Conv3dConfig CoreCoord
    CoreGrid CoreRange CoreRangeSet CoreType CppMeshToTensor CppTensorToMesh CreateDevice CreateDevices
    D2DStageGateConfig D2DStageGateDescriptor D2DStageGateMode D2DStreamService D2DStreamServiceReceiver
    D2DStreamServiceSender D2D_STAGE_GATE_UNGATED_SLOT D2HSocket D2HStreamService DEVICE_STORAGE_TYPE
    DRAM_MEMORY_CONFIG DataMovementConfigDescriptor DataMovementProcessor DataType Device
    DeviceComputeKernelConfig DispatchAlgorithm DispatchCoreAxis DispatchCoreConfig DispatchCoreType
    DistributedLayerNormStage DumpTensorMode EmbeddingsType FabricConfig FabricManagerMode FabricNodeId
    FabricReliabilityMode FabricRouterConfig FabricTensixConfig FabricType FabricUDMMode FaceGeometry
    GeluVariant GetDefaultDevice GetNumAvailableDevices GetNumPCIeDevices GetPCIeDeviceID H2DMode H2DSocket
    H2DStreamService IndexerScoreProgramConfig InterProcessCounterChannel KernelDescriptor
    L1_BLOCK_SHARDED_MEMORY_CONFIG L1_HEIGHT_SHARDED_MEMORY_CONFIG L1_MEMORY_CONFIG
    L1_WIDTH_SHARDED_MEMORY_CONFIG LayerAckService LayerNormDefaultProgramConfig LayerNormDeviceOperation
    LayerNormInputs LayerNormMultiCoreProgramFactory LayerNormParams LayerNormShardedMultiCoreProgramConfig
    LayerNormShardedProgramFactory LayerNormType Layout LightMetalReplay LossReductionMode
    MMSignalAggregatorMode MathFidelity MatmulDeviceOperation MatmulInputs
    MatmulMultiCoreReuseMultiCast1DProgramConfig MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig
    MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig MatmulMultiCoreReuseMultiCastProgramConfig
    MatmulMultiCoreReuseProgramConfig MatmulParams Mcast McastConfig McastCoreOrder McastDataReady
    McastExplicitFixedSenderConfig McastFixedSenderConfig McastRotatingSenderConfig McastSenderPlacement
    MemoryConfig MeshComposerConfig MeshCoordinate MeshCoordinateRange MeshCoordinateRangeSet MeshCoreCoord
    MeshDevice MeshEvent MeshId MeshMapperConfig MeshProgramDescriptor MeshShape MeshSocket MeshToTensor
    MeshTraceId MinimalMatmulConfig ModuleType NOC NOC_MODE NdShardSpec Op2DDRAMSliceHeight Op2DDRAMSliceWidth
    Op2DL1Full Op2DL1FullSliceConfig Op2DSliceConfig OverlappedTensor PaddingMode PagedCacheGeometryOverride
    PlacementReplicate PlacementShard ProgramDescriptor QkvCausalConv1dSiluProgramConfig QueueId RGBRange
    ROW_MAJOR_LAYOUT Rank ReadDeviceProfiler ReaderConfigDescriptor ReduceType ReplicateTensorToMesh
    ReplicateTensorToMeshWrapper RoutedExpertActivation RuntimeArgs RuntimeArgsColProxy SDPAProgramConfig
    SemaphoreDescriptor SetDefaultDevice SetRootDir Shape ShardDistributionStrategy ShardOrientation
    ShardShapeAlignment ShardSpec ShardStrategy ShardTensor2dMesh ShardTensorToMesh SigmoidMode Size
    SliceDeviceOperation SliceInputs SliceParams SliceTileProgramFactory SlidingWindowParallelConfig
    SocketConfig SocketConnection SocketEndpoint SocketMemoryConfig SoftmaxDefaultProgramConfig
    SoftmaxProgramConfig SoftmaxShardedMultiCoreProgramConfig SparseKVFormat StorageType SubDevice SubDeviceId
    SubDeviceManagerId SubcontextId TILE_LAYOUT TILE_SIZE Tensor TensorAccessorArgs TensorMemoryLayout
    TensorSpec TensorToMesh TensorTopology ThrottleLevel Tile TileDescriptor TileReshapeMapMode Topology
    TransferMode UNIFIED_ROUTED_EXPERT_CORE_GRID UnaryOpType UnaryWithParam UnpackToDestMode WorkerMode
    WormholeComputeKernelConfig WriterConfigDescriptor YUVCoefficients YUVColorSpace YUVFormat YUVRange abs
    abs_bw acos acos_bw acosh acosh_bw adaptive_avg_pool2d adaptive_max_pool2d add add_ add_bw addalpha
    addalpha_bw addcdiv addcdiv_bw addcmul addcmul_bw addmm aggregate_tensor all_broadcast all_gather
    all_reduce all_to_all_combine all_to_all_dispatch allocate_tensor_on_device allocate_tensor_on_host
    alt_complex_rotate90 angle angle_bw apply_device_delay arange argmax as_tensor asin asin_bw asinh asinh_bw
    assign assign_bw atan atan2 atan2_bw atan_bw atanh atanh_bw attach_absent_mcast attach_golden_function
    auto_register_ttnn_cpp_operations avg_pool2d batch_norm bcast begin_trace_capture bernoulli bfloat16
    bfloat4_b bfloat8_b bias_gelu bias_gelu_ bias_gelu_bw bitcast bitwise_and bitwise_left_shift bitwise_not
    bitwise_or bitwise_right_shift bitwise_xor broadcast cb_descriptor_from_sharded_tensor cbrt ceil ceil_bw
    celu celu_bw chunk clamp clamp_bw clamped_silu_glu clip clip_bw clone close_device close_mesh_device
    cluster combine_device_tensors command_queue comparison complex_tensor composite_example
    composite_example_multiple_return compute_distribution_to_mesh_mapping compute_fabric_connection_rt_args
    compute_program_descriptor_hash concat concat_bw concat_mesh_to_tensor_composer config_serialization conj
    conj_bw conv1d conv2d conv_transpose2d copy copy_device_to_host_tensor copy_host_to_device_tensor
    copy_host_to_device_tensor_partial core corerange_to_cores cos cos_bw cosh cosh_bw
    create_global_circular_buffer create_global_semaphore create_group_norm_input_mask
    create_group_norm_input_negative_mask create_group_norm_weight_bias_rm create_layer_norm_reciprocals
    create_layernorm_program_config create_matmul_attributes create_mesh_composer create_mesh_device
    create_mesh_mapper create_module_if_not_exists create_sharded_memory_config create_sharded_memory_config_
    create_socket_pair cumprod cumsum deallocate decorators deg2rad deg2rad_bw dequantize
    determine_expected_group_norm_dram_grid_size determine_expected_group_norm_sharded_config_and_grid_size
    device digamma digamma_bw disable_asynchronous_slow_dispatch disaggregation distribute distribute_tensor
    distributed distributed_context_allgather_int distributed_context_barrier distributed_context_get_rank
    distributed_context_get_size distributed_context_is_initialized distributed_context_local_to_world_rank
    distributed_context_recv_bytes distributed_context_send_bytes distributed_context_subcontext_count
    distributed_context_subcontext_id distributed_context_subcontext_size distributed_context_subcontext_sizes
    distributed_context_world_rank distributed_context_world_size div div_ div_bw div_no_nan div_no_nan_bw
    divide divide_ dram_group_norm_params_from_torch dram_prefetcher dump_device_memory_state dump_operations
    dump_stack_trace_on_segfault dump_tensor element_size elu elu_bw ema embedding embedding_bw empty
    empty_like enable_asynchronous_slow_dispatch end_trace_capture eq eq_ eqz erf erf_bw erfc erfc_bw erfinv
    erfinv_bw event_synchronize execute_trace exp exp2 exp2_bw exp_bw expand experimental experimental_loader
    expm1 expm1_bw fabric_connection_rt_args fabric_connection_rt_args_size fill fill_bw fill_cache
    fill_implicit_tile_padding fill_ones_rm fill_rm fill_zero_bw float32 floor floor_bw floor_div fmod fmod_bw
    fold fp8_e4m3 frac frac_bw from_buffer from_device from_host_shards from_torch full full_like
    fused_rms_minimal gather gcd ge ge_ geglu gelu gelu_bw generic_op get_all_fabric_mesh_ids
    get_all_mgd_fabric_types get_all_programs_perf_data get_allocator_base_address get_arch_name
    get_cb_address get_conv_output_dim get_current_command_queue_id_for_thread get_device_ids
    get_device_tensors get_dram_alignment get_eth_forwarding_direction get_fabric_config
    get_fabric_kernel_defines get_fallback_function get_forwarding_link_indices get_global_semaphore_address
    get_golden_function get_group_norm_cores_across_channel get_l1_alignment get_latest_programs_perf_data
    get_max_worker_l1_unreserved_size get_memory_config get_memory_view get_num_devices get_num_links
    get_num_pcie_devices get_optimal_dram_bank_to_logical_worker_assignment
    get_optimal_worker_cores_for_sharded_tensor get_pcie_device_ids get_physical_mesh_shapes
    get_tt_fabric_max_payload_size_bytes get_tt_fabric_packet_header_size_bytes get_usable_topology gez
    global_avg_pool2d glu graph graph_report grid_sample grid_to_cores group_norm gt gt_ gtz hardmish
    hardshrink hardshrink_bw hardsigmoid hardsigmoid_bw hardswish hardswish_bw hardtanh hardtanh_bw
    has_storage_type_of has_tile_padding heaviside hypot hypot_bw i0 i0_bw i1 identity imag imag_bw index_fill
    index_fill_new indexed_fill init_device_compute_kernel_config init_distributed_context int32 int8
    interleaved_to_sharded interleaved_to_sharded_partial is_imag is_real is_sharded
    is_tensor_storage_on_device is_trace_capture_active isclose isfinite isinf isnan isneginf ispkg isposinf
    kv_cache l1_loss layer_norm layer_norm_post_all_gather layer_norm_pre_all_gather
    layernorm_default_compute_config lcm ldexp ldexp_ ldexp_bw le le_ leaky_relu leaky_relu_bw lerp lerp_bw
    lez lgamma lgamma_bw light_metal_begin_capture light_metal_end_capture linear load_config_from_dictionary
    load_config_from_json_file load_tensor log log10 log10_bw log1p log1p_bw log2 log2_bw log_bw log_sigmoid
    log_sigmoid_bw logaddexp logaddexp2 logaddexp2_ logaddexp2_bw logaddexp_ logaddexp_bw logical_and
    logical_and_ logical_left_shift logical_not logical_not_ logical_or logical_or_ logical_right_shift
    logical_xor logical_xor_ logit logit_bw logiteps_bw lt lt_ ltz mac manage_config manage_device manual_seed
    matmul matmul_batched_weights matmul_select_program_factory max max_bw max_pool2d maximum mean
    merge_program_descriptors mesh_partition min min_bw minimum mish moe moe_expert_token_remap
    moe_routing_remap moreh_abs_pow moreh_adam moreh_adamw moreh_arange moreh_bmm moreh_bmm_backward
    moreh_clip_grad_norm moreh_cumsum moreh_cumsum_backward moreh_dot moreh_dot_backward moreh_fold moreh_full
    moreh_full_like moreh_getitem moreh_group_norm moreh_group_norm_backward moreh_layer_norm
    moreh_layer_norm_backward moreh_linear moreh_linear_backward moreh_logsoftmax moreh_logsoftmax_backward
    moreh_matmul moreh_matmul_backward moreh_mean moreh_mean_backward moreh_nll_loss moreh_nll_loss_backward
    moreh_nll_loss_unreduced_backward moreh_norm moreh_norm_backward moreh_sgd moreh_softmax
    moreh_softmax_backward moreh_softmin moreh_softmin_backward moreh_sum moreh_sum_backward move mse_loss mul
    mul_ mul_bw multigammaln multigammaln_bw multiply multiply_ name narrow ne ne_ neg neg_bw nextafter nez
    nonzero normalize_global normalize_hw num_cores_to_corerangeset num_cores_to_corerangeset_in_subcoregrids
    ones ones_like open_device open_mesh_device operation_tracer operations outer pad
    pearson_correlation_coefficient permute plus_one point_to_point polar polar_bw polygamma polygamma_bw
    polyval pow pow_bw prelu prepare_conv_bias prepare_conv_transpose2d_bias prepare_conv_transpose2d_weights
    prepare_conv_weights prepare_grid_sample_grid prod prod_bw profiler quantize query_registered_operations
    rad2deg rad2deg_bw rand randn rdiv rdiv_bw real real_bw reallocate reciprocal reciprocal_bw record_event
    reduce_scatter reduce_to_root reflection register_cpp_operation register_post_operation_hook
    register_pre_operation_hook register_python_operation reglu release_trace relu relu6 relu6_bw relu_bw
    relu_max relu_min remainder remainder_bw repeat repeat_bw repeat_interleave
    replicate_tensor_to_mesh_mapper requantize reset_global_semaphore_value reshape reshape_on_device reshard
    rgb_to_yuv rms_norm rms_norm_post_all_gather rms_norm_pre_all_gather rmsnorm_default_compute_config roll
    root_dir rotate round round_bw rpow rpow_bw rsqrt rsqrt_bw rsub rsub_ rsub_bw sampling
    save_config_to_json_file scale_causal_mask_hw_dims_softmax_in_place scale_mask_softmax
    scale_mask_softmax_in_place scatter scatter_add selu selu_bw set_fabric_config set_printoptions
    setup_fabric_connection setup_routing_plane_connection shard_tensor_to_mesh_mapper sharded_to_interleaved
    sharded_to_interleaved_partial sigmoid sigmoid_accurate sigmoid_bw sign sign_bw signbit silu silu_bw sin
    sin_bw sinh sinh_bw situ_glu slice snake_beta softcap softmax softmax_in_place softplus softplus_bw
    softshrink softshrink_bw softsign softsign_bw sort sparse_matmul split split_work_to_cores sqrt sqrt_bw
    square square_bw squared_difference squared_difference_ squared_difference_bw squeeze stack
    stack_trace_source start_tracy_zone std std_hw stop_tracy_zone sub sub_ sub_bw subalpha subalpha_bw
    submodule subtract subtract_ sum swiglu swish synchronize_device tan tan_bw tanh tanh_bw tanhshrink
    tanhshrink_bw test_hang_device_operation this_dir threshold threshold_bw tile_size tilize
    tilize_with_val_padding tilize_with_zero_padding to_device to_dtype to_layout to_memory_config to_torch
    tools topk tosa_gather tosa_scatter tracy_frame tracy_message transformer transpose tril triu trunc
    trunc_bw ttnn ttnn_dtype_to_torch_dtype typecast types uint16 uint32 uint8 unary_chain uniform unsqueeze
    unsqueeze_to_4D untilize untilize_with_unpadding update_cache upsample using_distributed_env var var_hw
    view visualize_mesh_device visualize_system_mesh visualize_tensor wait_for_event where where_bw xielu
    xlogy xlogy_bw yuv_bt601_coefficients yuv_bt709_coefficients zeros zeros_like
    """.split()  # noqa: SIM905
)
TENSOR_NAMES = frozenset(
    """
    buffer_address buffer_aligned_page_size buffer_num_pages buffer_page_size buffer_unique_id cpu deallocate
    device device_coords devices dtype element_size experimental_per_core_buffer_address extract_shard
    get_dtype get_layout get_tile host_buffer is_allocated is_per_core_allocated is_range_lockstep_allocated
    is_sharded item layout logical_volume memory_config pad pad_to_tile padded_shape reshape shape spec
    storage_type tensor_id tensor_topology tile to to_list to_numpy to_torch to_torch_with_padded_shape unpad
    unpad_from_tile update_tensor_topology volume
    """.split()  # noqa: SIM905
)
DEVICE_NAMES = frozenset(
    """
    arch clear_loaded_sub_device_manager clear_program_cache compute_with_storage_grid_size core_grid
    create_sub_device_manager create_submesh create_submeshes disable_and_clear_program_cache
    dram_core_from_logical_core dram_grid_size enable_program_cache get_device_id get_device_ids
    get_fabric_node_id get_num_devices get_optimal_dram_bank_to_logical_worker_assignment get_submeshes
    get_system_mesh_id get_view id load_sub_device_manager logical_core_from_worker_core
    num_program_cache_entries quiesce_devices remove_sub_device_manager reset_sub_device_stall_group reshape
    set_program_cache_misses_allowed set_sub_device_stall_group sfpu_eps sfpu_inf sfpu_nan shape
    worker_core_from_logical_core
    """.split()  # noqa: SIM905
)


def missing_attribute(owner: str, name: str, real_names: frozenset[str]) -> AttributeError:
    """The error for ``owner.name`` when there is no such thing here."""
    if name in real_names:
        return AttributeError(
            f"{owner}.{name} exists in ttnn {TTNN_RELEASE} but tilewright does not simulate it; "
            "write it as a program (ttnn.generic_op) or compute it on the host"
        )
    return AttributeError(f"{owner} has no attribute {name!r}, neither here nor in ttnn {TTNN_RELEASE}")

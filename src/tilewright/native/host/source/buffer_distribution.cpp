// SPDX-License-Identifier: Apache-2.0
#include "tw_host/buffer_distribution.hpp"

#include "tw_host/asserts.hpp"

namespace tt::tt_metal {

namespace {

// A shape in pages: only the last two dimensions are cut into pages.
Shape in_pages(Shape shape, const Shape2D& page) {
    const auto narrow = [](std::size_t size) { return static_cast<std::uint32_t>(size); };
    shape[-1] = narrow(div_up(shape[-1], narrow(page.width())));
    if (shape.rank() >= 2) {
        shape[-2] = narrow(div_up(shape[-2], narrow(page.height())));
    }
    return shape;
}

// The tensor's shape with as many dimensions as the shard has: those before become part of the first.
Shape folded(const Shape& tensor, std::size_t rank) {
    Shape::Container sizes(tensor.view().end() - rank, tensor.view().end());
    for (std::size_t index = 0; index < tensor.rank() - rank; ++index) {
        sizes[0] *= tensor.view()[index];
    }
    return Shape(sizes);
}

// Cores in the order in which they get shards.
std::vector<CoreCoord> cores_in_order(
    const CoreRangeSet& set,
    ShardOrientation orientation,
    ShardDistributionStrategy strategy,
    const std::vector<std::uint32_t>& counts) {
    const bool row_wise = orientation == ShardOrientation::ROW_MAJOR;
    if (strategy != ShardDistributionStrategy::GRID_2D) {
        return corerange_to_cores(set, std::nullopt, row_wise);
    }
    // One core for each shard of a matrix, at the shard's row and column (or the other way round).
    TT_FATAL(set.ranges().size() == 1, "Shards in a grid need one range of cores");
    const CoreRange range = *set.ranges().begin();
    const std::uint32_t columns = counts.back();
    std::uint32_t rows = 1;
    for (std::size_t index = 0; index + 1 < counts.size(); ++index) {
        rows *= counts[index];
    }
    std::vector<CoreCoord> cores;
    for (std::uint32_t row = 0; row < rows; ++row) {
        for (std::uint32_t column = 0; column < columns; ++column) {
            const std::size_t x = row_wise ? column : row;
            const std::size_t y = row_wise ? row : column;
            cores.emplace_back(range.start_coord.x + x, range.start_coord.y + y);
        }
    }
    return cores;
}

}  // namespace

std::vector<MappedPage> UncompressedBufferPageMapping::pages() const {
    std::vector<MappedPage> pages;
    for (std::size_t core = 0; core < core_host_page_indices.size(); ++core) {
        for (std::size_t place = 0; place < core_host_page_indices[core].size(); ++place) {
            const std::uint32_t page = core_host_page_indices[core][place];
            if (page != PADDING) {
                pages.push_back({static_cast<std::uint32_t>(core), page, static_cast<std::uint32_t>(place)});
            }
        }
    }
    return pages;
}
std::vector<MappedPage>::const_iterator UncompressedBufferPageMapping::begin() const {
    listed_ = pages();
    return listed_->begin();
}
std::vector<MappedPage>::const_iterator UncompressedBufferPageMapping::end() const { return listed_->end(); }

BufferDistributionSpec BufferDistributionSpec::from_shard_spec(
    Shape tensor_shape,
    Shape shard_shape,
    Shape2D page_shape,
    const CoreRangeSet& cores,
    ShardOrientation orientation,
    ShardDistributionStrategy strategy) {
    return {in_pages(tensor_shape, page_shape), in_pages(shard_shape, page_shape), cores, orientation, strategy};
}

BufferDistributionSpec::BufferDistributionSpec(
    const Shape& tensor_shape_in_pages, const Shape& shard_shape_in_pages, std::vector<CoreCoord> cores) :
    shard_(shard_shape_in_pages), cores_(std::move(cores)) {
    TT_FATAL(
        shard_.rank() >= 1 && tensor_shape_in_pages.rank() >= shard_.rank(),
        "A shard of rank {} does not fit a tensor of rank {}",
        shard_.rank(),
        tensor_shape_in_pages.rank());
    TT_FATAL(shard_.volume() != 0, "A shard must have pages");
    tensor_ = folded(tensor_shape_in_pages, shard_.rank());
}
BufferDistributionSpec::BufferDistributionSpec(
    const Shape& tensor_shape_in_pages,
    const Shape& shard_shape_in_pages,
    const CoreRangeSet& cores,
    ShardOrientation orientation,
    ShardDistributionStrategy strategy) :
    BufferDistributionSpec(tensor_shape_in_pages, shard_shape_in_pages, {}) {
    strategy_ = strategy;
    cores_ = cores_in_order(cores, orientation, strategy, shard_counts());
}

std::vector<std::uint32_t> BufferDistributionSpec::shard_counts() const {
    std::vector<std::uint32_t> counts;
    for (std::size_t index = 0; index < shard_.rank(); ++index) {
        counts.push_back(div_up(tensor_.view()[index], shard_.view()[index]));
    }
    return counts;
}
std::size_t BufferDistributionSpec::num_shards() const {
    std::size_t count = 1;
    for (const std::uint32_t each : shard_counts()) {
        count *= each;
    }
    return count;
}
std::size_t BufferDistributionSpec::max_num_shards_per_core() const {
    return cores_.empty() ? 0 : div_up(num_shards(), cores_.size());
}
std::size_t BufferDistributionSpec::core_of(std::size_t shard) const {
    return strategy_ == ShardDistributionStrategy::CONTIGUOUS_1D ? shard / max_num_shards_per_core()
                                                                 : shard % cores_.size();
}
std::size_t BufferDistributionSpec::place_of(std::size_t shard) const {
    return strategy_ == ShardDistributionStrategy::CONTIGUOUS_1D ? shard % max_num_shards_per_core()
                                                                 : shard / cores_.size();
}
std::size_t BufferDistributionSpec::num_shards_per_core(std::size_t core) const {
    std::size_t count = 0;
    for (std::size_t shard = 0; shard < num_shards(); ++shard) {
        count += core_of(shard) == core ? 1 : 0;
    }
    return count;
}
std::vector<CoreCoord> BufferDistributionSpec::cores_with_data() const {
    std::vector<CoreCoord> with_data;
    for (std::size_t core = 0; core < cores_.size(); ++core) {
        if (num_shards_per_core(core) > 0) {
            with_data.push_back(cores_[core]);
        }
    }
    return with_data;
}
BufferDistributionSpec::CoreGroups BufferDistributionSpec::core_groups() const {
    CoreGroups groups;
    std::vector<CoreCoord> all, first, second;
    const std::size_t most = max_num_shards_per_core();
    for (std::size_t core = 0; core < cores_.size(); ++core) {
        const std::size_t count = num_shards_per_core(core);
        if (count == 0) {
            continue;
        }
        all.push_back(cores_[core]);
        (count == most ? first : second).push_back(cores_[core]);
        (count == most ? groups.num_shards_per_core_in_group_1 : groups.num_shards_per_core_in_group_2) = count;
    }
    groups.cores_with_data = CoreRangeSet(ttsl::Span<const CoreCoord>(all));
    groups.cores_in_group_1 = CoreRangeSet(ttsl::Span<const CoreCoord>(first));
    groups.cores_in_group_2 = CoreRangeSet(ttsl::Span<const CoreCoord>(second));
    return groups;
}
std::tuple<std::uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, std::uint32_t, std::uint32_t>
BufferDistributionSpec::core_groups_tuple() const {
    const CoreGroups groups = core_groups();
    return {
        static_cast<std::uint32_t>(num_cores_with_data()),
        groups.cores_with_data,
        groups.cores_in_group_1,
        groups.cores_in_group_2,
        static_cast<std::uint32_t>(groups.num_shards_per_core_in_group_1),
        static_cast<std::uint32_t>(groups.num_shards_per_core_in_group_2)};
}

UncompressedBufferPageMapping BufferDistributionSpec::compute_page_mapping() const {
    UncompressedBufferPageMapping mapping;
    mapping.all_cores = cores_;
    const std::size_t room = max_num_dev_pages_per_core();
    mapping.core_host_page_indices.assign(
        cores_.size(), std::vector<std::uint32_t>(room, UncompressedBufferPageMapping::PADDING));
    const std::vector<std::uint32_t> counts = shard_counts();
    const std::size_t rank = shard_.rank();
    for (std::uint32_t page = 0; page < tensor_.volume(); ++page) {
        // The page's coordinates, last dimension first: which shard has it, and where in the shard.
        std::size_t shard = 0, inside = 0, shards_below = 1, pages_below = 1;
        std::uint32_t rest = page;
        for (std::size_t index = rank; index-- > 0;) {
            const std::uint32_t at = rest % tensor_.view()[index];
            rest /= tensor_.view()[index];
            shard += at / shard_.view()[index] * shards_below;
            inside += at % shard_.view()[index] * pages_below;
            shards_below *= counts[index];
            pages_below *= shard_.view()[index];
        }
        mapping.core_host_page_indices[core_of(shard)][place_of(shard) * shard_.volume() + inside] = page;
    }
    return mapping;
}

namespace detail {

std::pair<Shape, Shape> squeeze_shape_ranks(const Shape& tensor_shape, const Shape& shard_shape) {
    TT_FATAL(
        tensor_shape.rank() >= shard_shape.rank(),
        "Tensor shape rank ({}) can't be less than shard shape rank ({})!",
        tensor_shape.rank(),
        shard_shape.rank());
    // From the last dimension on. One joins the dimension behind it if shards hold that one, and all before it in this
    // loop, whole; or if shards are one deep in it and end where that one ends.
    std::vector<std::uint32_t> tensor, shard;
    bool is_whole = false, divides = false;
    std::uint64_t tensor_left = tensor_shape.volume(), shard_left = shard_shape.volume();
    for (int dim = -1; dim >= -static_cast<int>(shard_shape.rank()); --dim) {
        const std::uint32_t size = tensor_shape[dim], part = shard_shape[dim];
        if (dim < -1 && (is_whole || (part == 1 && divides))) {
            tensor.back() *= size;
            shard.back() *= part;
            is_whole = is_whole && size == part;
        } else {
            tensor.push_back(size);
            shard.push_back(part);
            is_whole = size == part;
        }
        if (size == 0 || part == 0) {
            continue;
        }
        divides = size % part == 0;
        tensor_left /= size;
        shard_left /= part;
        if (tensor_left == 1 && shard_left == 1) {
            break;
        }
    }
    for (int dim = -static_cast<int>(shard_shape.rank()) - 1; dim >= -static_cast<int>(tensor_shape.rank()); --dim) {
        tensor.back() *= tensor_shape[dim];
    }
    return {
        Shape(Shape::Container(tensor.rbegin(), tensor.rend())), Shape(Shape::Container(shard.rbegin(), shard.rend()))};
}

}  // namespace detail

}  // namespace tt::tt_metal

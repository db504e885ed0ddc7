// Threads over independent blocks of rows. Every block writes only its own rows (or its own slot of a
// partial sum), so the result is the same for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace setwise {

inline std::atomic<int> &thread_count() {
    static std::atomic<int> count{1};
    return count;
}

// Calls work(block, begin, end) for consecutive blocks of `grain` rows.
template <class Work>
void parallel_blocks(std::size_t n, std::size_t grain, Work &&work) {
    const std::size_t n_blocks = (n + grain - 1) / grain;
    const std::size_t n_threads = std::min<std::size_t>(std::max(1, thread_count().load()), n_blocks);
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_lock;
    auto run = [&] {
        try {
            for (std::size_t b; (b = next.fetch_add(1)) < n_blocks;)
                work(b, b * grain, std::min(n, (b + 1) * grain));
        } catch (...) {
            std::lock_guard<std::mutex> hold(failure_lock);
            failure = std::current_exception();
            next = n_blocks;
        }
    };
    std::vector<std::thread> pool;
    for (std::size_t t = 1; t < n_threads; ++t) pool.emplace_back(run);
    run();
    for (auto &thread : pool) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace setwise

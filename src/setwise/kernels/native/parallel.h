// Threads over independent blocks of rows. Every block writes only its own rows (or its own slot of a
// partial sum), so the result is the same for any number of threads.
//
// Threads are kept between calls: a learner makes thousands of calls of a few hundred microseconds, and a new thread
// may take as long to start. Idle threads sleep, and a call never waits for a thread that has not begun.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace setwise {

inline std::atomic<int> &thread_count() {
    static std::atomic<int> count{1};
    return count;
}

class Helpers {
  public:
    static Helpers &shared() { return *current(); }

    // Calls `job`, which must not throw, on this thread and on up to `wanted` others; returns when all calls have.
    void run(std::size_t wanted, const std::function<void()> &job) {
        // Two Python threads may get here at once: the second does all of its work itself.
        if (wanted == 0 || busy_.test_and_set(std::memory_order_acquire)) return job();
        offer(job, wanted);
        job();
        withdraw();
        busy_.clear(std::memory_order_release);
    }

  private:
    // Never destroyed: its threads sleep until the process ends. They do not survive a fork, so that the child starts
    // with a new object.
    static Helpers *&current() {
        static Helpers *helpers = first();
        return helpers;
    }

    static Helpers *first() {
#if !defined(_WIN32)
        pthread_atfork(nullptr, nullptr, [] { current() = new Helpers; });
#endif
        return new Helpers;
    }

    void offer(const std::function<void()> &job, std::size_t wanted) {
        start_threads(wanted);
        {
            std::lock_guard<std::mutex> hold(lock_);
            job_ = &job;
            places_ = std::min(wanted, n_threads_);
        }
        wake_.notify_all();
    }

    void withdraw() {
        std::unique_lock<std::mutex> hold(lock_);
        places_ = 0;
        finished_.wait(hold, [this] { return n_running_ == 0; });
    }

    // If the system refuses more threads, the existing ones do the work.
    void start_threads(std::size_t wanted) noexcept {
        try {
            for (; n_threads_ < wanted; ++n_threads_) std::thread([this] { help(); }).detach();
        } catch (...) {
        }
    }

    void help() {
        std::unique_lock<std::mutex> hold(lock_);
        for (;;) {
            wake_.wait(hold, [this] { return places_ > 0; });
            --places_;
            ++n_running_;
            const std::function<void()> &job = *job_;
            hold.unlock();
            job();
            hold.lock();
            if (--n_running_ == 0) finished_.notify_one();
        }
    }

    std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
    std::size_t n_threads_ = 0;  // changed only by the call that holds busy_
    std::mutex lock_;            // of what follows
    std::condition_variable wake_, finished_;
    const std::function<void()> *job_ = nullptr;
    std::size_t places_ = 0, n_running_ = 0;
};

// Calls work(block, begin, end) for consecutive blocks of `grain` rows. The first exception ends the work and is thrown
// here.
template <class Work>
void parallel_blocks(std::size_t n, std::size_t grain, Work &&work) {
    const std::size_t n_blocks = (n + grain - 1) / grain;
    if (n_blocks == 0) return;
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_lock;
    const auto run = [&] {
        try {
            for (std::size_t b; (b = next.fetch_add(1)) < n_blocks;)
                work(b, b * grain, std::min(n, (b + 1) * grain));
        } catch (...) {
            std::lock_guard<std::mutex> hold(failure_lock);
            failure = std::current_exception();
            next = n_blocks;
        }
    };
    const std::size_t n_threads = std::min<std::size_t>(std::max(1, thread_count().load()), n_blocks);
    Helpers::shared().run(n_threads - 1, std::ref(run));
    if (failure) std::rethrow_exception(failure);
}

}  // namespace setwise

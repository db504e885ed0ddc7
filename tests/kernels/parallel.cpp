// Checks parallel.h where Python cannot: threads that fail to start, exceptions of one thread, forks, two callers.
// test_parallel.py builds it and runs one case a process. The exit code is 0 if the case holds.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "parallel.h"

namespace {

std::atomic<int> threads_left{1000};  // threads that may still be started

// Every block is done exactly once.
bool covers_all(std::size_t n = 1000) {
    std::vector<int> done(n, 0);
    setwise::parallel_blocks(n, 8, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++done[i];
    });
    for (int times : done)
        if (times != 1) return false;
    return true;
}

bool survives_threads_that_do_not_start() {
    for (int granted : {0, 1, 3}) {
        threads_left = granted;
        setwise::thread_count() += 4;  // more than there are, whatever was granted before
        for (int call = 0; call < 20; ++call)
            if (!covers_all()) return false;
    }
    return true;
}

// The calling thread waits in its first block until another has thrown in its own.
bool throws_what_a_helper_throws() {
    const auto caller = std::this_thread::get_id();
    for (int call = 0; call < 50; ++call) {
        std::atomic<bool> thrown{false};
        try {
            setwise::parallel_blocks(100, 1, [&](std::size_t, std::size_t, std::size_t) {
                if (std::this_thread::get_id() == caller) {
                    while (!thrown) std::this_thread::yield();
                } else if (!thrown.exchange(true)) {
                    throw std::invalid_argument("from a helper");
                }
            });
            return false;
        } catch (const std::invalid_argument &error) {
            if (std::string(error.what()) != "from a helper") return false;
        }
        if (!covers_all()) return false;
    }
    return true;
}

bool throws_what_the_caller_throws() {
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> thrown{false};
    try {
        setwise::parallel_blocks(100, 1, [&](std::size_t, std::size_t, std::size_t) {
            if (std::this_thread::get_id() == caller) {
                thrown = true;
                throw std::runtime_error("from the caller");
            }
            while (!thrown) std::this_thread::yield();
        });
    } catch (const std::runtime_error &) {
        return covers_all();
    }
    return false;
}

bool keeps_its_threads() {
    const int before = threads_left;
    for (int call = 0; call < 200; ++call)
        if (!covers_all()) return false;
    return before - threads_left == setwise::thread_count() - 1;
}

bool works_after_a_fork() {
    if (!covers_all()) return false;
    for (int child = 0; child < 20; ++child) {
        const pid_t id = fork();
        if (id == 0) {
            alarm(20);
            _exit(covers_all() && covers_all() ? 0 : 1);
        }
        int status = 0;
        if (waitpid(id, &status, 0) != id || status != 0) return false;
    }
    return covers_all();
}

bool serves_two_callers() {
    std::atomic<bool> good{true};
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t)
        callers.emplace_back([&] {
            for (int call = 0; call < 300; ++call)
                if (!covers_all()) good = false;
        });
    for (auto &thread : callers) thread.join();
    return good;
}

// A kernel that calls another is done by the thread that calls it.
bool allows_calls_inside_calls() {
    std::atomic<int> wrong{0};
    setwise::parallel_blocks(40, 1, [&](std::size_t, std::size_t, std::size_t) { wrong += !covers_all(); });
    return wrong == 0;
}

}  // namespace

// Stands before the C library's: std::thread sees a system that is out of threads.
extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    using Create = int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    return threads_left-- > 0 ? create(thread, attributes, start, argument) : EAGAIN;
}

int main(int, char **arguments) {
    const std::string name = arguments[1];
    setwise::thread_count() = 4;
#define CASE(NAME) \
    if (name == #NAME) return NAME() ? 0 : 1
    CASE(survives_threads_that_do_not_start);
    CASE(throws_what_a_helper_throws);
    CASE(throws_what_the_caller_throws);
    CASE(keeps_its_threads);
    CASE(works_after_a_fork);
    CASE(serves_two_callers);
    CASE(allows_calls_inside_calls);
    return 2;
}

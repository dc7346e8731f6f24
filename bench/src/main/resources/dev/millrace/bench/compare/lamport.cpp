// Lamport's ring with indices cached on both sides, in C++: what the machine gives without a JVM. It does what
// Traffic.java does: records of three 64-bit fields, one pause after each attempt in vain, a check of all fields' sum.
//
//   lamport SENDS RECEIVES CAPACITY IDLE WARMUP_MS MEASURE_MS    prints records per second

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
static void relax() { _mm_pause(); }
#elif defined(__aarch64__)
static void relax() { asm volatile("isb"); }
#else
static void relax() {}
#endif

namespace {

constexpr int kAttemptsPerLook = 256;

struct Record {
  std::int64_t time;
  std::int64_t price;
  std::int64_t volume;
};

struct alignas(128) Index {
  std::atomic<std::uint64_t> value{0};
};

struct alignas(128) Counts {
  std::atomic<std::uint64_t> records{0};
  std::atomic<std::uint64_t> sum{0};
};

class Ring {
 public:
  explicit Ring(std::size_t capacity) : slots_(capacity), mask_(capacity - 1) {}

  std::size_t send(std::uint64_t first, std::size_t count) {
    const std::uint64_t tail = tail_.value.load(std::memory_order_relaxed);
    if (tail + count - head_seen_ > slots_.size()) {
      head_seen_ = head_.value.load(std::memory_order_acquire);
      if (tail + count - head_seen_ > slots_.size()) {
        return 0;
      }
    }
    for (std::size_t i = 0; i < count; i++) {
      const auto number = static_cast<std::int64_t>(first + i);
      slots_[(tail + i) & mask_] = {number, number + 1, number + 2};
    }
    tail_.value.store(tail + count, std::memory_order_release);
    return count;
  }

  std::size_t receive(std::size_t limit, std::uint64_t& sum) {
    const std::uint64_t head = head_.value.load(std::memory_order_relaxed);
    if (tail_seen_ - head < limit) {
      tail_seen_ = tail_.value.load(std::memory_order_acquire);
    }
    std::size_t count = tail_seen_ - head;
    count = count < limit ? count : limit;
    for (std::size_t i = 0; i < count; i++) {
      const Record& record = slots_[(head + i) & mask_];
      sum += static_cast<std::uint64_t>(record.time + record.price + record.volume);
    }
    if (count != 0) {
      head_.value.store(head + count, std::memory_order_release);
    }
    return count;
  }

 private:
  std::vector<Record> slots_;
  const std::uint64_t mask_;
  Index head_;
  Index tail_;
  alignas(128) std::uint64_t head_seen_ = 0;  // the producer's
  alignas(128) std::uint64_t tail_seen_ = 0;  // the consumer's
  char padding_[128] = {};
};

void pause(int idle) {
  for (int i = 0; i < idle; i++) {
    relax();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "usage: lamport SENDS RECEIVES CAPACITY IDLE WARMUP_MS MEASURE_MS\n");
    return 2;
  }
  const auto sends = static_cast<std::size_t>(std::atoi(argv[1]));
  const auto receives = static_cast<std::size_t>(std::atoi(argv[2]));
  const int idle = std::atoi(argv[4]);
  Ring ring(static_cast<std::size_t>(std::atoi(argv[3])));
  Counts sent;
  Counts received;
  std::atomic<bool> sender_stops{false};
  std::atomic<bool> receiver_stops{false};
  std::thread producer([&] {
    std::uint64_t next = 0;
    std::uint64_t sum = 0;
    while (!sender_stops.load(std::memory_order_relaxed)) {
      const std::uint64_t first = next;
      for (int i = 0; i < kAttemptsPerLook; i++) {
        const std::size_t count = ring.send(next, sends);
        next += count;
        if (count == 0) {
          pause(idle);
        }
      }
      const std::uint64_t count = next - first;
      sum += 3 * (count * first + count * (count - 1) / 2) + 3 * count;
      sent.sum.store(sum, std::memory_order_relaxed);
      sent.records.store(next, std::memory_order_release);
    }
  });
  std::thread consumer([&] {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    while (!receiver_stops.load(std::memory_order_relaxed)) {
      for (int i = 0; i < kAttemptsPerLook; i++) {
        const std::size_t got = ring.receive(receives, sum);
        count += got;
        if (got == 0) {
          pause(idle);
        }
      }
      received.sum.store(sum, std::memory_order_relaxed);
      received.records.store(count, std::memory_order_release);
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(argv[5])));
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t before = received.records.load(std::memory_order_acquire);
  std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(argv[6])));
  const std::uint64_t after = received.records.load(std::memory_order_acquire);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  sender_stops = true;
  producer.join();
  while (received.records.load(std::memory_order_acquire) < sent.records.load()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  receiver_stops = true;
  consumer.join();
  if (received.records.load() != sent.records.load() || received.sum.load() != sent.sum.load()) {
    std::fprintf(stderr, "what was received must be what was sent\n");
    return 1;
  }
  std::printf("%.0f\n", static_cast<double>(after - before) / took.count());
  return 0;
}

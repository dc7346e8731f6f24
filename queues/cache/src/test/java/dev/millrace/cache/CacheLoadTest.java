package dev.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.millrace.cache.Caches.Throwing;
import dev.millrace.testkit.TestCall;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a load that stores over a later write, runs twice for a key, or leaves those who wait for
 * it waiting when it fails.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CacheLoadTest {
  private final OffHeapCache<String, String> cache = Caches.ofText(Caches.options());
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  @AfterEach
  void close() {
    cache.close();
  }

  private long metric(String name) {
    return cache.metrics().get(name);
  }

  /** Begins to load a key, which ends as the test says. */
  private TestCall<String> load(String key, Throwing<String> end) {
    return load(key, mayEnd, end);
  }

  private TestCall<String> load(String key, CountDownLatch until, Throwing<String> end) {
    CountDownLatch hasBegun = new CountDownLatch(1);
    Throwing<String> body =
        () -> {
          hasBegun.countDown();
          until.await();
          return end.call();
        };
    TestCall<String> load = TestCall.of(() -> cache.get(key, _ -> Caches.sneaky(body)));
    TestCall.await(() -> hasBegun.getCount() == 0);
    return load;
  }

  /** Asks for a key that is being loaded. */
  private TestCall<String> await(String key) {
    return TestCall.of(() -> cache.get(key, _ -> "of another load")).awaitResting();
  }

  @Test
  void get_whileTheKeyIsLoaded_waitsForThatLoad() throws Exception {
    String value = "value";
    TestCall<String> load = load("k", () -> value);
    List<TestCall<String>> others = List.of(await("k"), await("k"), await("k"));
    assertThat(cache.get("k")).as("does not wait").isNull();
    assertThat(cache.get("l", _ -> "l")).as("another key").isEqualTo("l");
    mayEnd.countDown();
    assertThat(load.result()).isSameAs(value);
    assertThat(TestCall.results(others)).allSatisfy(got -> assertThat(got).isSameAs(value));
    assertThat(cache.get("k", _ -> "again")).isEqualTo(value);
    assertThat(metric("loads")).isEqualTo(2);
    assertThat(metric("misses")).isEqualTo(6);
    assertThat(metric("hits")).isEqualTo(1);
  }

  static Stream<Throwable> failures() {
    return Stream.of(
        new IllegalArgumentException(),
        new AssertionError(),
        new CancellationException("of what the loader waited for"),
        new CompletionException(new IOException()),
        new IOException());
  }

  @ParameterizedTest
  @MethodSource("failures")
  void get_whenTheLoaderThrows_storesNothing(Throwable failure) throws Exception {
    TestCall<String> load = load("k", () -> Caches.failWith(failure));
    TestCall<String> other = await("k");
    mayEnd.countDown();
    assertThat(load.failure()).isSameAs(failure);
    assertThat(other.failure())
        .isInstanceOf(CompletionException.class)
        .hasMessage("loading failed in another thread: key=k")
        .hasCause(failure);
    assertThat(metric("loadFailures")).isEqualTo(1);
    assertThat(cache.get("k")).isNull();
    assertThat(cache.get("k", _ -> "second")).isEqualTo("second");
    assertThat(cache.get("k")).isEqualTo("second");
    assertThat(metric("loads")).isEqualTo(1);
  }

  @Test
  void get_whenTheLoaderReturnsNull_storesNothing() throws Exception {
    TestCall<String> load = load("k", () -> null);
    TestCall<String> other = await("k");
    mayEnd.countDown();
    assertThat(load.result()).isNull();
    assertThat(other.result()).isNull();
    assertThat(cache.size()).isZero();
    assertThat(metric("loads")).isEqualTo(1);
  }

  static Stream<Arguments> writes() {
    return Stream.of(
        write("put", c -> c.put("k", "new"), "new"),
        write("putIfAbsent", c -> c.putIfAbsent("k", "new"), "new"),
        write("remove", c -> c.remove("k"), null),
        write("clear", OffHeapCache::clear, null),
        write("put of another key", c -> c.put("l", "new"), "loaded"));
  }

  private static Arguments write(
      String name, Consumer<OffHeapCache<String, String>> call, String left) {
    return argumentSet(name, call, left);
  }

  @ParameterizedTest
  @MethodSource("writes")
  void get_whenTheKeyIsWrittenMeanwhile_doesNotStore(
      Consumer<OffHeapCache<String, String>> write, String left) throws Exception {
    TestCall<String> load = load("k", () -> "loaded");
    TestCall<String> waiting = await("k");
    write.accept(cache);
    mayEnd.countDown();
    assertThat(load.result()).isEqualTo("loaded");
    assertThat(waiting.result()).isEqualTo("loaded");
    assertThat(cache.get("k")).isEqualTo(left);
  }

  @Test
  void get_whenALoadFromBeforeTheRemovalEnds_storesTheLaterOne() throws Exception {
    TestCall<String> before = load("k", () -> "before");
    cache.remove("k");
    CountDownLatch mayEndLater = new CountDownLatch(1);
    TestCall<String> later = load("k", mayEndLater, () -> "later");
    mayEnd.countDown();
    assertThat(before.result()).isEqualTo("before");
    assertThat(cache.get("k")).isNull();
    TestCall<String> waiting = await("k");
    mayEndLater.countDown();
    assertThat(later.result()).isEqualTo("later");
    assertThat(waiting.result()).isEqualTo("later");
    assertThat(cache.get("k")).isEqualTo("later");
  }

  @Test
  void get_whenAWaiterIsInterrupted_goesOnLoading() throws Exception {
    TestCall<String> load = load("k", () -> "value");
    TestCall<String> other = await("k");
    TestCall<String> waiting = await("k");
    waiting.thread().interrupt();
    assertThat(waiting.failure()).isInstanceOf(InterruptedException.class);
    other.awaitResting();
    mayEnd.countDown();
    assertThat(load.result()).isEqualTo("value");
    assertThat(other.result()).isEqualTo("value");
    assertThat(cache.get("k")).isEqualTo("value");
  }

  @Test
  void close_duringALoad_endsItForAll() throws Exception {
    List<TestCall<String>> calls =
        List.of(
            load("k", () -> "value"), load("l", () -> "x".repeat(2_000)), await("k"), await("l"));
    cache.close();
    mayEnd.countDown();
    for (TestCall<String> call : calls) {
      assertThat(call.failure())
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("cache is closed");
    }
  }

  @Test
  void get_whenTheLoaderUsesTheCache_isAnyCall() throws Exception {
    Function<String, String> nested =
        key -> cache.put("c", "2") ? Caches.sneaky(() -> cache.get("b", _ -> cache.get("c"))) : key;
    assertThat(cache.get("a", nested)).isEqualTo("2");
    assertThat(cache.get("a")).isEqualTo("2");
    assertThat(cache.get("b")).isEqualTo("2");
    Function<String, String> own = key -> cache.put(key, "put") ? "loaded" : key;
    assertThat(cache.get("own", own)).isEqualTo("loaded");
    assertThat(cache.get("own")).isEqualTo("put");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void get_whenTheLoaderChangesTheKey_endsTheLoadOfTheFirst(boolean fails) {
    try (OffHeapCache<byte[], String> mutable =
        OffHeapCache.of(Codec.bytes(), Codec.utf8(), Caches.options())) {
      byte[] key = {1};
      Function<byte[], String> loader =
          given -> {
            given[0] = 2;
            Caches.failWith(fails ? new IOException() : null);
            return "value";
          };
      assertThat(catchThrowable(() -> mutable.get(key, loader)) != null).isEqualTo(fails);
      byte[] first = {1};
      assertThat(mutable.get(key)).isNull();
      assertThat(mutable.get(first)).isEqualTo(fails ? null : "value");
      assertThat(Caches.sneaky(() -> mutable.get(first, _ -> "value"))).isEqualTo("value");
    }
  }
}

package dev.millrace.bench.cache;

import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Latencies;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * What a JVM beside that of an {@link OfferService} does: threads request random offers, each one
 * after the other, without a break, and check the answers.
 *
 * @param address where offers are, before their numbers
 */
record OfferClients(String address, Offers offers, int threads, long seed)
    implements Child.Job<OfferClients.Found> {
  /**
   * What they have seen.
   *
   * @param seconds from the first request to the last answer
   * @param times of the requests, as {@link Latencies} encodes them
   */
  record Found(double seconds, String times) {}

  @Override
  public Found run() throws Exception {
    Histogram all = Latencies.newHistogram();
    try (HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();
        ExecutorService service = Executors.newFixedThreadPool(threads)) {
      List<Callable<Histogram>> tasks = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        PrimitiveIterator.OfInt numbers = offers.random(seed + i).iterator();
        tasks.add(() -> request(client, numbers));
      }
      long begin = System.nanoTime();
      for (Future<Histogram> one : service.invokeAll(tasks)) {
        all.add(one.get());
      }
      return new Found((System.nanoTime() - begin) / 1e9, Latencies.encode(all));
    }
  }

  private Histogram request(HttpClient client, PrimitiveIterator.OfInt numbers)
      throws IOException, InterruptedException {
    Histogram times = Latencies.newHistogram();
    while (numbers.hasNext()) {
      int number = numbers.nextInt();
      HttpRequest request = HttpRequest.newBuilder(URI.create(address + number)).build();
      long begin = System.nanoTime();
      HttpResponse<String> answer =
          client.send(request, BodyHandlers.ofString(StandardCharsets.UTF_8));
      times.recordValue(System.nanoTime() - begin);
      offers.check(number, answer.body());
    }
    return times;
  }
}

package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Waiters;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The order of a sequencer's consumers. It determines which consumers each one wakes, and which
 * ones hold back the producers. The graph is complete before the first claim.
 */
final class ConsumerGraph {
  /**
   * A single consumer, or several that share their events. A group knows the groups before it, its
   * own progress, and the waiters that park until it releases something. These are the waiters of
   * the consumers after it or, if there are none, of the producers.
   */
  static final class Group {
    final Set<Group> upstream;
    final Waiters waiters;
    final Sequence[] progress;
    final List<SequenceConsumer> members = new ArrayList<>();
    Waiters[] parkedBehind = {};

    Group(Set<Group> upstream, Waiters waiters, Sequence... progress) {
      this.upstream = upstream;
      this.waiters = waiters;
      this.progress = progress;
    }

    /** Returns the sequences of all {@code groups}. */
    static Sequence[] progressOf(Collection<Group> groups) {
      return groups.stream().flatMap(one -> Stream.of(one.progress)).toArray(Sequence[]::new);
    }
  }

  private final List<Group> groups = new ArrayList<>();

  boolean hasConsumers() {
    return !groups.isEmpty();
  }

  /**
   * Adds a group, and recomputes which waiters each group wakes.
   *
   * @param producers the waiters of the producers, which the last groups wake
   */
  void add(Group group, Waiters producers) {
    groups.add(group);
    for (Group one : groups) {
      List<Group> followers = followersOf(one);
      one.parkedBehind = parking(followers.isEmpty() ? Stream.of(producers) : waitersOf(followers));
    }
  }

  /** Returns the positions of the last groups, which are those without groups after them. */
  Sequence[] last() {
    return Group.progressOf(groups.stream().filter(one -> followersOf(one).isEmpty()).toList());
  }

  /** Returns the waiters that park until something is published. */
  Waiters[] parkedForPublication() {
    return parking(waitersOf(groups.stream().filter(one -> one.upstream.isEmpty()).toList()));
  }

  private List<Group> followersOf(Group group) {
    return groups.stream().filter(one -> one.upstream.contains(group)).toList();
  }

  private static Stream<Waiters> waitersOf(List<Group> some) {
    return some.stream().map(group -> group.waiters);
  }

  private static Waiters[] parking(Stream<Waiters> some) {
    return some.filter(Waiters::needSignals).toArray(Waiters[]::new);
  }

  /** Returns whether the calling thread has events in hand that lie before {@code sequence}. */
  boolean isHeldByCaller(long sequence) {
    for (int i = 0; i < groups.size(); i++) { // by index, to avoid allocating an iterator
      List<SequenceConsumer> members = groups.get(i).members;
      for (int j = 0; j < members.size(); j++) {
        SequenceConsumer consumer = members.get(j);
        if (consumer.isHeldByCaller() && consumer.own.next() < sequence) {
          return true;
        }
      }
    }
    return false;
  }

  /** Wakes all waiting consumers. */
  void signalAll() {
    groups.forEach(group -> group.waiters.signal());
  }
}

package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Waiters;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which consumers of a sequencer come after which: hence whom each of them wakes, and which of them
 * hold back the producers. It is complete before the first claim.
 */
final class ConsumerGraph {
  /**
   * Consumers that share their events, or one alone: the groups before it, its progress, and the
   * waiters that park until it releases something, which are those of the consumers after it or
   * else the producers.
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

    /** The sequences of several groups. */
    static Sequence[] progressOf(Collection<Group> groups) {
      return groups.stream().flatMap(one -> Stream.of(one.progress)).toArray(Sequence[]::new);
    }
  }

  private final List<Group> groups = new ArrayList<>();

  boolean hasConsumers() {
    return !groups.isEmpty();
  }

  /**
   * Adds a group, and sets anew whom each group wakes.
   *
   * @param producers woken by the groups that none comes after
   */
  void add(Group group, Waiters producers) {
    groups.add(group);
    for (Group one : groups) {
      List<Group> followers = followersOf(one);
      one.parkedBehind = parking(followers.isEmpty() ? Stream.of(producers) : waitersOf(followers));
    }
  }

  /** The positions of the groups that none comes after. */
  Sequence[] last() {
    return Group.progressOf(groups.stream().filter(one -> followersOf(one).isEmpty()).toList());
  }

  /** The waiters that park until something is published. */
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

  /** Whether the caller itself has events in hand that lie before a sequence. */
  boolean isHeldByCaller(long sequence) {
    for (int i = 0; i < groups.size(); i++) { // allocates nothing, unlike an iterator
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

  /** Wakes all consumers that wait. */
  void signalAll() {
    groups.forEach(group -> group.waiters.signal());
  }
}

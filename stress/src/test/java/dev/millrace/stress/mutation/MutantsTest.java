package dev.millrace.stress.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.stress.PublishedModules;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a planted bug that the verifier refuses, and so counts as caught by whatever loads it, or
 * that is the same as another one. All bugs of the classes below can be planted.
 */
class MutantsTest {
  private static final Mutator MUTATOR =
      PublishedModules.mutator().withAllJumps().withAssertedCode();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dev.millrace.core.Sequence",
        "dev.millrace.flyweight.internal.Checks",
        "dev.millrace.core.internal.ring.Gate",
        "dev.millrace.core.internal.ring.GatedClaims",
        "dev.millrace.core.internal.history.HistoryCursor",
        "dev.millrace.core.internal.history.HistorySlots",
        "dev.millrace.core.internal.history.HistoryWriter",
        "dev.millrace.core.internal.history.HistoryWriter$Many",
        "dev.millrace.core.internal.history.HistoryWriter$One",
        "dev.millrace.core.internal.ring.Ring",
        "dev.millrace.core.internal.Role",
        "dev.millrace.core.internal.ring.SoleClaims",
        "dev.millrace.core.internal.ring.SpscRing",
        "dev.millrace.core.internal.ring.SpscRing$ConsumerSide",
        "dev.millrace.core.internal.Waiters",
        "dev.millrace.core.internal.WaitList",
        "dev.millrace.core.internal.WaitPlace",
        "dev.millrace.queues.history.HistoryRing",
        "dev.millrace.queues.history.HistoryProducer",
        "dev.millrace.queues.history.HistoryReader",
        "dev.millrace.queues.QueueOptions",
        "dev.millrace.queues.OffHeapQueue",
        "dev.millrace.queues.internal.QueueState",
        "dev.millrace.queues.SpscConsumer",
        "dev.millrace.queues.SpscProducer",
        "dev.millrace.queues.SpscQueue",
        "dev.millrace.flyweight.FlyweightCursor",
        "dev.millrace.stress.mutation.Sample"
      })
  void apply_eachMutation_isVerifiedAndUnlikeAllOthers(String name) throws Exception {
    byte[] bytes = MutantLoader.bytesOf(name);
    ClassFile classFile = ClassFile.of();
    Set<ByteBuffer> all = new HashSet<>();
    all.add(ByteBuffer.wrap(bytes));
    all.add(
        ByteBuffer.wrap(
            classFile.transformClass(classFile.parse(bytes), ClassTransform.ACCEPT_ALL)));
    List<Mutation> mutations = MUTATOR.mutations(bytes);

    assertThat(mutations).extracting(Mutation::id).doesNotHaveDuplicates();
    for (Mutation mutation : mutations) {
      byte[] mutant = MUTATOR.apply(bytes, mutation);
      assertThat(all.add(ByteBuffer.wrap(mutant))).as(mutation.id()).isTrue();
      Class<?> loaded = link(name, mutant);
      assertThat(loaded.getName()).isEqualTo(name);
    }
  }

  /** Initializes the class, and so verifies it; a bug may well be met by that. */
  private static Class<?> link(String name, byte[] mutant) throws ClassNotFoundException {
    MutantLoader loader = new MutantLoader(Map.of(name, mutant));
    try {
      return Class.forName(name, true, loader);
    } catch (ExceptionInInitializerError e) {
      return Class.forName(name, false, loader); // verified before, and ran into the bug
    }
  }
}

package dev.millrace.stress.scenario;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.MemorySequence;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.util.List;
import java.util.function.LongSupplier;

/** The same of a sequence whose value lies in native memory, and what it is once that is freed. */
@ScenariosOf("MemorySequence")
public final class MemorySequenceScenarios extends SequenceScenarios {
  @Override
  Sequence sequence(long value) {
    NativeMemory memory = NativeMemory.allocate(MemorySequence.SIZE_BYTES);
    MemorySequence sequence = new MemorySequence(memory.segment(), 0);
    if (value != 0) {
      sequence.setPlain(value);
    }
    return sequence;
  }

  @About("what was kept is read once the memory is freed, and no write changes it")
  public void keptWhenFreed(Simulation run) {
    NativeMemory memory = NativeMemory.allocate(2 * MemorySequence.SIZE_BYTES);
    MemorySequence sequence = new MemorySequence(memory.segment(), MemorySequence.SIZE_BYTES);
    run.thread("owner", () -> sequence.setRelease(7), sequence::keep, memory::close);
    run.thread("reader", times(4, () -> checkWithin(run, 0, sequence.getAcquire(), 7, "value")));
    run.thread(
        "another reader", times(4, () -> checkWithin(run, 0, sequence.getOpaque(), 7, "it")));
    List<LongSupplier> reads =
        List.of(
            sequence::getPlain,
            sequence::getOpaque,
            sequence::getAcquire,
            sequence::getVolatile,
            () -> sequence.getAndSet(8),
            () -> sequence.getAndAdd(1),
            () -> sequence.getAndAddPlain(1));
    run.atEnd(
        () -> {
          sequence.setPlain(8);
          sequence.setOpaque(8);
          sequence.setRelease(8);
          sequence.setVolatile(8);
          run.check(!sequence.compareAndSet(7, 8), "exchanged though freed");
          run.check(!sequence.weakCompareAndSetPlain(7, 8), "exchanged though freed");
          run.check(!sequence.weakCompareAndSetRelease(7, 8), "exchanged though freed");
          for (LongSupplier read : reads) {
            run.check(read.getAsLong() == 7, "not what was kept");
          }
        });
  }

  @About("a value that another thread writes meanwhile may be kept or not")
  public void keptBesideWrites(Simulation run) {
    NativeMemory memory = NativeMemory.allocate(MemorySequence.SIZE_BYTES);
    MemorySequence sequence = new MemorySequence(memory.segment(), 0);
    run.thread("owner", sequence::keep, memory::close);
    run.thread("writer", rounds(3, i -> sequence.setRelease(1 + i)));
    run.atEnd(() -> checkWithin(run, 0, sequence.getOpaque(), 3, "value"));
  }
}

package dev.millrace.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Finds an access that reaches the wrong bytes, perhaps only once it is compiled, and a mix that
 * loads a kind of memory which must not be in the measured JVM.
 */
class MemoryTest {
  private static final int SIZE_BYTES = 1 << 19; // both stamps of a block change within it
  private static final int SEED = 12_345;

  @ParameterizedTest
  @EnumSource
  void loop_ofEachKind_writesElementsInPlaceAndReadsThem(Access access) {
    everyKindHoldsWhatWasWritten(access);
    assertThat(Mix.MIXED.prepare(Kind.MILLRACE, access)).isNotZero();
    everyKindHoldsWhatWasWritten(access);
  }

  private static void everyKindHoldsWhatWasWritten(Access access) {
    for (Kind kind : Kind.values()) {
      try (Memory memory = kind.allocate(SIZE_BYTES, access)) {
        holdsWhatWasWritten(memory, access);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void prepare_loadsTheKindsOfItsMixAlone(Kind kind) throws ReflectiveOperationException {
    assertThat(loadedFor(kind, Mix.EXCLUSIVE)).hasSize(1);
    assertThat(loadedFor(kind, Mix.LOADED)).hasSize(2);
    assertThat(loadedFor(kind, Mix.TWO)).hasSize(2);
  }

  @Test
  void prepare_ofTheMixOfAll_loadsAll() throws ReflectiveOperationException {
    assertThat(loadedFor(Kind.MILLRACE, Mix.MIXED))
        .hasSize(Memory.class.getPermittedSubclasses().length);
  }

  private static void holdsWhatWasWritten(Memory memory, Access access) {
    Loop.write(memory, access, SEED);
    byte[] block = new byte[Memory.BLOCK_BYTES];
    long sum = 0;
    int wrong = 0;
    for (int offset = 0; offset < SIZE_BYTES; offset += access.elementBytes()) {
      long expected = element(access, SEED + offset);
      wrong += element(memory, access, offset, block) == expected ? 0 : 1;
      sum += access == Access.BLOCK ? block[0] + block[Memory.BLOCK_BYTES - 1] : expected;
    }
    assertThat(wrong).as(memory.getClass().getName()).isZero();
    assertThat(Loop.read(memory, access)).as(memory.getClass().getName()).isEqualTo(sum);
  }

  private static long element(Access access, int value) {
    return switch (access) {
      case BYTE -> (byte) value;
      case BLOCK -> (byte) (value >> 10) + ((byte) (value >> 18) << 8);
      case INT, LONG -> value;
    };
  }

  private static long element(Memory memory, Access access, int offset, byte[] block) {
    return switch (access) {
      case BYTE -> memory.getByte(offset);
      case BLOCK -> {
        memory.getBlock(offset, block);
        yield block[0] + (block[Memory.BLOCK_BYTES - 1] << 8);
      }
      case INT -> memory.getInt(offset);
      case LONG -> memory.getLong(offset);
    };
  }

  /** Does what the benchmark does, in classes of a loader that tells which memories it needed. */
  private static List<Class<?>> loadedFor(Kind kind, Mix mix) throws ReflectiveOperationException {
    Loader loader = new Loader();
    Method there =
        loader
            .loadClass(MemoryTest.class.getName())
            .getDeclaredMethod("prepare", String.class, String.class);
    there.setAccessible(true);
    there.invoke(null, kind.name(), mix.name());
    return loader.memories();
  }

  @SuppressWarnings("unused") // by its name, above
  private static void prepare(String kindName, String mixName) {
    Kind kind = Kind.valueOf(kindName);
    Mix.valueOf(mixName).prepare(kind, Access.LONG);
    try (Memory memory = kind.allocate(SIZE_BYTES, Access.LONG)) {
      holdsWhatWasWritten(memory, Access.LONG);
    }
  }

  /** Defines this package's classes anew, and tells which. */
  private static final class Loader extends ClassLoader {
    private final List<Class<?>> defined = new ArrayList<>();

    Loader() {
      super(MemoryTest.class.getClassLoader());
    }

    List<Class<?>> memories() {
      return defined.stream()
          .filter(type -> type.getSuperclass() != null)
          .filter(type -> type.getSuperclass().getName().equals(Memory.class.getName()))
          .toList();
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(MemoryTest.class.getPackageName() + ".")) {
        return super.loadClass(name, resolve);
      }
      Class<?> known = findLoadedClass(name);
      if (known != null) {
        return known;
      }
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        Class<?> type = defineClass(name, bytes, 0, bytes.length);
        defined.add(type);
        return type;
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}

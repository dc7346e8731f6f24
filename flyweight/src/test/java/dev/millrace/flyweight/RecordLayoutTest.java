package dev.millrace.flyweight;

import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.MemoryLayout.unionLayout;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_CHAR;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.millrace.testkit.Throws;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.nio.ByteOrder;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a field that lies elsewhere than the rules of C or the given padding put it, and a path
 * that leads to the wrong field or to one that does not exist.
 */
class RecordLayoutTest {
  private static final ByteOrder SWAPPED_ORDER =
      ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN
          ? ByteOrder.LITTLE_ENDIAN
          : ByteOrder.BIG_ENDIAN;

  private static final StructLayout LEVEL =
      structLayout(JAVA_DOUBLE.withName("price"), JAVA_INT.withName("size"), paddingLayout(4));
  private static final RecordLayout BOOK =
      RecordLayout.of(
          JAVA_BYTE.withName("side"),
          JAVA_LONG.withName("timestamp"),
          structLayout(
                  JAVA_INT.withOrder(SWAPPED_ORDER).withName("version"),
                  JAVA_SHORT.withName("flags"))
              .withName("header"),
          sequenceLayout(4, LEVEL).withName("levels"),
          sequenceLayout(2, sequenceLayout(3, JAVA_SHORT)).withName("matrix"),
          sequenceLayout(2, sequenceLayout(5, JAVA_BYTE)).withName("tags"),
          sequenceLayout(8, JAVA_BYTE).withName("symbol"));

  @Test
  void of_whenMembersNeedAlignment_padsAsC() {
    RecordLayout layout =
        RecordLayout.of(
            JAVA_BYTE.withName("a"),
            JAVA_SHORT.withName("b"),
            JAVA_BOOLEAN.withName("c"),
            JAVA_INT.withName("d"),
            JAVA_CHAR.withName("e"),
            JAVA_LONG.withName("f"),
            JAVA_FLOAT.withName("g"));

    assertThat(Stream.of("a", "b", "c", "d", "e", "f", "g").map(layout::offsetOf))
        .containsExactly(0L, 2L, 4L, 8L, 12L, 16L, 24L);
    assertThat(layout.sizeBytes()).isEqualTo(32);
    assertThat(layout.layout().byteAlignment()).isEqualTo(8);
  }

  @Test
  void of_whenMembersAreUnaligned_packs() {
    RecordLayout layout =
        RecordLayout.of(
            JAVA_BYTE.withName("a"),
            JAVA_LONG_UNALIGNED.withName("b"),
            JAVA_INT_UNALIGNED.withName("c"));

    assertThat(layout.offsetOf("b")).isEqualTo(1);
    assertThat(layout.offsetOf("c")).isEqualTo(9);
    assertThat(layout.sizeBytes()).isEqualTo(13);
    assertThat(layout.layout().byteAlignment()).isEqualTo(1);
  }

  @Test
  void of_whenPaddingIsGiven_keepsIt() {
    RecordLayout layout =
        RecordLayout.of(
            JAVA_BYTE.withName("a"), paddingLayout(12), JAVA_INT.withName("b"), paddingLayout(5));

    assertThat(layout.offsetOf("b")).isEqualTo(16);
    assertThat(layout.sizeBytes()).isEqualTo(28);
  }

  @Test
  void of_whenStruct_takesItAsItIs() {
    StructLayout struct = structLayout(JAVA_INT.withName("a"), JAVA_BYTE.withName("b"));

    assertThat(RecordLayout.of(struct).layout()).isEqualTo(struct);
    assertThat(RecordLayout.of(struct).sizeBytes()).isEqualTo(5);
  }

  @Test
  void field_whenClosed_tellsWhereAndWhat() {
    FieldAt version = (FieldAt) BOOK.field("header.version");
    assertThat(version.offset()).isEqualTo(16);
    assertThat(version.access())
        .isEqualTo(JAVA_INT_UNALIGNED.withOrder(SWAPPED_ORDER).withName("version"));
    assertThat(version.type()).isEqualTo(int.class);
    assertThat(version.stride()).isZero();
    assertThat(version.count()).isOne();
    assertThat(version.layout()).isSameAs(BOOK);
    assertThat(version).hasToString("header.version: int at 16, swapped");
    assertThat(BOOK.field("side")).hasToString("side: byte at 0");
    assertThat(BOOK.field("symbol")).hasToString("symbol: bytes at 110");
  }

  @Test
  void field_whenOpen_tellsStrideAndCount() {
    FieldAt size = (FieldAt) BOOK.field("levels[].size");
    assertThat(size.offset()).isEqualTo(32);
    assertThat(size.stride()).isEqualTo(16);
    assertThat(size.count()).isEqualTo(4);
    assertThat(size).hasToString("levels[].size: int at 32, 4 times every 16 bytes");
    assertThat(BOOK.field("matrix[][2]"))
        .hasToString("matrix[][2]: short at 92, 2 times every 6 bytes");
    assertThat(BOOK.field("matrix[1][]"))
        .hasToString("matrix[1][]: short at 94, 3 times every 2 bytes");
    assertThat(BOOK.field("tags[]")).hasToString("tags[]: bytes at 100, 2 times every 5 bytes");
    assertThat(BOOK.field("symbol[]")).hasToString("symbol[]: byte at 110, 8 times every 1 bytes");
  }

  @Test
  void field_whenIndexed_isClosed() {
    assertThat(BOOK.field("levels[3].price")).hasToString("levels[3].price: double at 72");
    assertThat(BOOK.field("matrix[1][2]")).hasToString("matrix[1][2]: short at 98");
    assertThat(BOOK.field("tags[1]")).hasToString("tags[1]: bytes at 105");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "prices",
        "header",
        "levels",
        "levels[]",
        "levels[0]",
        "matrix[0]",
        ".side",
        "side.",
        "side.x",
        "side[0]",
        "header..version",
        "levels[0]price",
        "levels[0",
        "levels]",
        "[0]",
        "levels.price",
        "header.version.",
        "levels[0]]"
      })
  void field_whenPathNamesNone_listsTheKnown(String path) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BOOK.field(path))
        .withMessage(
            "path must name a field: path="
                + path
                + ", known=[side, timestamp, header.version, header.flags, levels[].price,"
                + " levels[].size, matrix[][], tags[], symbol]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "levels[4].price | index must be in 0..3: index=4, path=levels[4].price",
        "levels[-1].price | index must be in 0..3: index=-1, path=levels[-1].price",
        "levels[x].price | index must be a number: index=x, path=levels[x].price",
        "matrix[][] | path must have at most one open index: path=matrix[][]",
      })
  void field_whenIndexIsWrong_isRefused(String path, String message) {
    Throws.illegalArgument(message, () -> BOOK.field(path));
  }

  @Test
  void offsetOf_whenStructOrElement_tellsItsStart() {
    assertThat(Stream.of("header", "levels", "levels[2]", "levels[2].size").map(BOOK::offsetOf))
        .containsExactly(16L, 24L, 56L, 64L);
  }

  @Test
  void offsetOf_whenOpenOrUnknown_isRefused() {
    Throws.illegalArgument(
        "path must have no open index: path=levels[].price", () -> BOOK.offsetOf("levels[].price"));
    Throws.illegalArgument(
        "path must name a member: path=level, known=[side, ...", () -> BOOK.offsetOf("level"));
    Throws.a(NullPointerException.class, () -> BOOK.offsetOf(null));
  }

  @Test
  void of_whenMemberCannotBeInARecord_isRefused() {
    assertRefused("member must have a name: member=#1", JAVA_INT.withName("a"), JAVA_INT);
    assertRefused(
        "member must have a name: member=header.#0", structLayout(JAVA_INT).withName("header"));
    assertRefused("member must have a name: member=#0", JAVA_INT.withName(""));
    assertRefused(
        "member must have a name without . [ and ]: member=a.b", JAVA_INT.withName("a.b"));
    assertRefused(
        "member must have a unique name: member=a", JAVA_INT.withName("a"), JAVA_INT.withName("a"));
    assertRefused("member must not be an address: member=next", ADDRESS.withName("next"));
    assertRefused(
        "member must not be a union: member=either",
        unionLayout(JAVA_INT.withName("a")).withName("either"));
    assertRefused(
        "member must have at least one element: member=levels",
        sequenceLayout(0, LEVEL).withName("levels"));
    assertRefused(
        "member must not repeat padding: member=gap[]",
        sequenceLayout(2, paddingLayout(4)).withName("gap"));
    assertRefused(
        "member price must be aligned to at most 8 bytes: alignment=16",
        JAVA_DOUBLE.withByteAlignment(16).withName("price"));
  }

  @Test
  void of_whenWholeCannotBeARecord_isRefused() {
    assertRefused("layout must have a field: layout=[]");
    assertRefused("layout must have a field: layout=[x8]", paddingLayout(8));
    assertRefused(
        "size must be in 1..2147483647: size=4294967296",
        sequenceLayout(1L << 30, JAVA_INT).withName("huge"));
    GroupLayout union = unionLayout(JAVA_INT.withName("a"));
    Throws.illegalArgument(
        "layout must not be a union: layout=" + union, () -> RecordLayout.of(union));
    GroupLayout aligned = structLayout(JAVA_LONG.withName("a")).withByteAlignment(64);
    Throws.illegalArgument(
        "layout must be aligned to at most 8 bytes: alignment=64", () -> RecordLayout.of(aligned));
  }

  private static void assertRefused(String message, MemoryLayout... members) {
    Throws.illegalArgument(message, () -> RecordLayout.of(members));
  }

  @Test
  void equals_whenLayoutsAreEqual_isTrue() {
    RecordLayout same = RecordLayout.of(JAVA_BYTE.withName("a"), JAVA_INT.withName("b"));
    RecordLayout other = RecordLayout.of(JAVA_BYTE.withName("a"), JAVA_INT.withName("c"));

    assertThat(RecordLayout.of(JAVA_BYTE.withName("a"), JAVA_INT.withName("b")))
        .isEqualTo(same)
        .hasSameHashCodeAs(same)
        .isNotEqualTo(other)
        .isNotEqualTo("a");
    assertThat(same.field("b")).isEqualTo(same.field("b")).isNotEqualTo(other.field("c"));
  }

  @Test
  void toString_isThatOfTheStruct() {
    assertThat(BOOK).hasToString(BOOK.layout().toString());
    assertThat(BOOK.toString()).startsWith("[b1(side)x7").contains("x2").endsWith("]");
  }
}

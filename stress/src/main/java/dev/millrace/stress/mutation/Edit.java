package dev.millrace.stress.mutation;

import java.lang.classfile.CodeBuilder;

/** What is emitted in place of one code element. */
@FunctionalInterface
interface Edit {
  /** Emits what replaces the element. */
  void emit(CodeBuilder builder);
}

package dev.millrace.stress.mutation;

import java.lang.classfile.CodeElement;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** A method's code with its accesses. */
final class MethodSites {
  private static final ClassDesc SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");

  private final MethodCode code;
  private final SortedMap<Integer, AccessSite> sites;
  private final Declarations declarations;

  MethodSites(MethodCode code, SiteFinder finder, Declarations declarations) {
    this.code = code;
    this.sites = finder.sites(code);
    this.declarations = declarations;
  }

  MethodCode code() {
    return code;
  }

  Declarations declarations() {
    return declarations;
  }

  Collection<AccessSite> all() {
    return sites.values();
  }

  /** The access that an element is, if it is one. */
  Optional<AccessSite> at(int index) {
    return Optional.ofNullable(sites.get(index));
  }

  /** Whether an element writes what other threads may see, and leaves no result. */
  boolean isStore(int index) {
    CodeElement element = code.element(index);
    if (element instanceof FieldInstruction field) {
      boolean put = field.opcode() == Opcode.PUTFIELD || field.opcode() == Opcode.PUTSTATIC;
      return put && !declarations.hasFlag(field.field(), AccessFlag.FINAL);
    }
    if (element instanceof InvokeInstruction call && call.owner().asSymbol().equals(SEGMENT)) {
      String name = call.name().stringValue();
      return call.typeSymbol().returnType().equals(ConstantDescs.CD_void)
          && (name.equals("copy") || name.startsWith("set"));
    }
    return at(index).filter(site -> site.operation() == AccessSite.Operation.WRITE).isPresent();
  }

  /** What an element does, for readers. */
  String text(int index) {
    if (sites.containsKey(index)) {
      return sites.get(index).text();
    }
    return switch (code.element(index)) {
      case FieldInstruction field -> field.name().stringValue() + " write";
      case InvokeInstruction call ->
          AccessSite.simpleName(call.owner().asSymbol()) + "." + call.name().stringValue();
      default -> code.element(index).toString();
    };
  }

  /** The kinds of what a store or call takes from the stack, the topmost last. */
  List<TypeKind> operands(int index) {
    List<TypeKind> kinds = new ArrayList<>();
    switch (code.element(index)) {
      case FieldInstruction field -> {
        if (field.opcode() == Opcode.PUTFIELD) {
          kinds.add(TypeKind.REFERENCE);
        }
        kinds.add(TypeKind.from(field.typeSymbol()).asLoadable());
      }
      case InvokeInstruction call -> {
        if (call.opcode() != Opcode.INVOKESTATIC) {
          kinds.add(TypeKind.REFERENCE);
        }
        kinds.addAll(kinds(call.typeSymbol()));
      }
      default -> throw new IllegalArgumentException("element must be a store: index=" + index);
    }
    return kinds;
  }

  static List<TypeKind> kinds(MethodTypeDesc type) {
    return type.parameterList().stream().map(one -> TypeKind.from(one).asLoadable()).toList();
  }
}

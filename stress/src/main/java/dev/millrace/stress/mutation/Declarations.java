package dev.millrace.stress.mutation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The members that the class under mutation refers to, read from class files. */
final class Declarations {
  private final ClassLoader loader;
  private final Map<String, Optional<ClassModel>> models = new HashMap<>();

  Declarations(ClassLoader loader) {
    this.loader = loader;
  }

  /** Prefers this class to what the loader has by its name. */
  void add(ClassModel model) {
    models.put(model.thisClass().asInternalName(), Optional.of(model));
  }

  /** Whether a field is declared with a flag; an unknown field has none. */
  boolean hasFlag(MemberRefEntry reference, AccessFlag flag) {
    return field(reference).filter(field -> field.flags().has(flag)).isPresent();
  }

  /** Whether a class, or one above it, declares a method. */
  boolean declares(ClassDesc owner, String name, String descriptor) {
    return method(internalName(owner), name, descriptor).isPresent();
  }

  Optional<MethodModel> method(String owner, String name, String descriptor) {
    Optional<ClassModel> model = model(owner);
    while (model.isPresent()) {
      for (MethodModel method : model.get().methods()) {
        if (method.methodName().equalsString(name)
            && method.methodType().equalsString(descriptor)) {
          return Optional.of(method);
        }
      }
      model = above(model.get());
    }
    return Optional.empty();
  }

  private Optional<FieldModel> field(MemberRefEntry reference) {
    Optional<ClassModel> model = model(reference.owner().asInternalName());
    while (model.isPresent()) {
      for (FieldModel field : model.get().fields()) {
        if (field.fieldName().equalsString(reference.name().stringValue())
            && field.fieldType().equalsString(reference.type().stringValue())) {
          return Optional.of(field);
        }
      }
      model = above(model.get());
    }
    return Optional.empty();
  }

  private Optional<ClassModel> above(ClassModel model) {
    return model.superclass().flatMap(entry -> model(entry.asInternalName()));
  }

  private Optional<ClassModel> model(String internalName) {
    return models.computeIfAbsent(internalName, this::read);
  }

  private Optional<ClassModel> read(String internalName) {
    try (InputStream in = loader.getResourceAsStream(internalName + ".class")) {
      return in == null ? Optional.empty() : Optional.of(ClassFile.of().parse(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException("class must be readable: class=" + internalName, e);
    }
  }

  static String internalName(ClassDesc type) {
    String descriptor = type.descriptorString();
    return type.isArray() ? descriptor : descriptor.substring(1, descriptor.length() - 1);
  }
}

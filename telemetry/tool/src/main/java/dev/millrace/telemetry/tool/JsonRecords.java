package dev.millrace.telemetry.tool;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Map;

/**
 * Writes each record as a JSON object on a line of its own, with {@code time}, {@code writer},
 * {@code type}, {@code fields} and {@code text}.
 *
 * <p>Fields are nested as they are in the record. Numbers are JSON numbers with all their digits,
 * even longs above 2<sup>53</sup>. JSON has no numbers for NaN and the infinities, so these are the
 * strings {@code "NaN"}, {@code "Infinity"} and {@code "-Infinity"}. Characters are strings, and
 * bytes that are not text are strings that begin with {@code 0x}.
 */
public final class JsonRecords implements RecordOutput {
  private final JsonGenerator json;

  /**
   * Makes an output that has written nothing yet.
   *
   * @param writer receives the text
   * @throws IOException if nothing can be written
   */
  public JsonRecords(Writer writer) throws IOException {
    this.json = generator(writer);
  }

  /** Makes a generator that writes each object on a line of its own. */
  static JsonGenerator generator(Writer writer) throws IOException {
    return new JsonFactory()
        .createGenerator(writer)
        .setRootValueSeparator(new SerializedString(""));
  }

  @Override
  public void write(TraceRecord record) throws IOException {
    json.writeStartObject();
    json.writeStringField("time", RecordOutput.text(record.time()));
    json.writeStringField("writer", record.writer());
    json.writeStringField("type", record.type());
    json.writeFieldName("fields");
    write(record.fields());
    json.writeStringField("text", record.text());
    json.writeEndObject();
    json.writeRaw('\n');
  }

  private void write(Object value) throws IOException {
    switch (value) {
      case Map<?, ?> struct -> {
        json.writeStartObject();
        for (Map.Entry<?, ?> member : struct.entrySet()) {
          json.writeFieldName((String) member.getKey());
          write(member.getValue());
        }
        json.writeEndObject();
      }
      case List<?> list -> {
        json.writeStartArray();
        for (Object element : list) {
          write(element);
        }
        json.writeEndArray();
      }
      case Boolean one -> json.writeBoolean(one);
      case Float one -> json.writeNumber(one);
      case Double one -> json.writeNumber(one);
      case Number one -> json.writeNumber(one.longValue());
      default -> json.writeString(value.toString());
    }
  }

  @Override
  public void flush() throws IOException {
    json.flush();
  }
}

package dev.millrace.bench.compare;

import freemarker.template.Configuration;
import freemarker.template.TemplateException;
import freemarker.template.TemplateExceptionHandler;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** Writes a page of HTML from a template. */
final class Page {
  private Page() {}

  /**
   * Writes the page.
   *
   * @param template the name of the template, which is a resource of this package
   * @param model what it shows, by name
   * @param page the file to write
   */
  static void write(String template, Map<String, ?> model, Path page) throws IOException {
    Configuration templates = new Configuration(Configuration.VERSION_2_3_35);
    templates.setClassForTemplateLoading(Page.class, "");
    templates.setDefaultEncoding("UTF-8");
    templates.setLocale(Locale.ROOT);
    templates.setTemplateExceptionHandler(TemplateExceptionHandler.RETHROW_HANDLER);
    templates.setLogTemplateExceptions(false);
    templates.setFallbackOnNullLoopVariable(false);
    StringWriter html = new StringWriter();
    try {
      templates.getTemplate(template).process(model, html);
    } catch (TemplateException e) {
      throw new IllegalStateException("results must fit the report's template", e);
    }
    Files.createDirectories(page.toAbsolutePath().getParent());
    Files.writeString(page, html.toString());
  }
}

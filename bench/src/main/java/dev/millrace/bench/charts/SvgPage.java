package dev.millrace.bench.charts;

import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.FontFormatException;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.font.FontRenderContext;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.RoundRectangle2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.w3c.dom.Document;

/**
 * A drawing as SVG. All text has one font, which does not depend on the machine, and each text says
 * how wide it is, so that it also fits where a reader has another font.
 */
final class SvgPage {
  private static final String FONT_FILE =
      "/org/apache/pdfbox/resources/ttf/LiberationSans-Regular.ttf";
  private static final int FONT_SIZE = 12;
  private static final FontRenderContext EXACT = new FontRenderContext(null, true, true);
  private static final Font FONT = read();

  private static final String NAMESPACE = "http://www.w3.org/2000/svg";
  private static final Pattern TEXT = Pattern.compile("<text ([^>]*)>([^<]*)</text");
  private static final Pattern REPEATED =
      Pattern.compile(" (font-family|text-rendering|xml:space|stroke-width)=\"[^\"]*\"");

  private SvgPage() {}

  static Font font() {
    return FONT;
  }

  /** How wide a text is. */
  static double width(String text) {
    return FONT.getStringBounds(text, EXACT).getWidth();
  }

  private static Font read() {
    System.setProperty("java.awt.headless", "true");
    try (InputStream file = SvgPage.class.getResourceAsStream(FONT_FILE)) {
      return Font.createFont(Font.TRUETYPE_FONT, file).deriveFont((float) FONT_SIZE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (FontFormatException e) {
      throw new IllegalStateException("not a font: " + FONT_FILE, e);
    }
  }

  /** Draws on a white card, which can be read on dark pages too. */
  static String of(String title, int width, int height, Consumer<Graphics2D> drawing)
      throws IOException {
    SVGGeneratorContext context = SVGGeneratorContext.createDefault(newDocument());
    context.setComment(null);
    context.setPrecision(2);
    SVGGraphics2D g2 = new Graphics(context);
    g2.setSVGCanvasSize(new Dimension(width, height));
    g2.setColor(Color.WHITE);
    g2.fill(new RoundRectangle2D.Double(0, 0, width, height, 16, 16));
    drawing.accept(g2);
    StringWriter svg = new StringWriter();
    g2.stream(svg, false);
    String body = svg.toString().replaceAll("\\R\\s*", "").replaceFirst("(?s).*?<svg[^>]*>", "");
    return root(title, width, height) + fitted(body).replace("><", ">\n<") + "\n";
  }

  private static Document newDocument() {
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .getDOMImplementation()
          .createDocument(NAMESPACE, "svg", null);
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("no XML parser", e);
    }
  }

  private static String root(String title, int width, int height) {
    return """
    <svg xmlns="%s" viewBox="0 0 %d %d" role="img" font-size="%d"
        font-family="Liberation Sans, Arial, Helvetica, sans-serif">
    <title>%s</title>
    """
        .formatted(NAMESPACE, width, height, FONT_SIZE, title);
  }

  /** Each text with its width, and without what the root says for all. */
  private static String fitted(String body) {
    return TEXT.matcher(REPEATED.matcher(body).replaceAll(""))
        .replaceAll(
            text ->
                Matcher.quoteReplacement(
                    String.format(
                        Locale.ROOT,
                        "<text textLength=\"%.1f\" %s>%s</text",
                        width(text.group(2)),
                        text.group(1),
                        text.group(2))));
  }

  /** Measures text as {@link #width} does, writes dots as circles, and clips nothing. */
  private static final class Graphics extends SVGGraphics2D {
    private final Graphics2D measuring =
        new BufferedImage(1, 1, BufferedImage.TYPE_INT_ARGB).createGraphics();

    Graphics(SVGGeneratorContext context) {
      super(context, false);
      measuring.setRenderingHint(
          RenderingHints.KEY_FRACTIONALMETRICS, RenderingHints.VALUE_FRACTIONALMETRICS_ON);
      measuring.setRenderingHint(
          RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    }

    @Override
    public FontMetrics getFontMetrics(Font font) {
      return measuring.getFontMetrics(font);
    }

    @Override
    public void clip(Shape shape) {}

    @Override
    public void setClip(Shape shape) {}

    @Override
    public void draw(Shape shape) {
      super.draw(circle(shape));
    }

    @Override
    public void fill(Shape shape) {
      super.fill(circle(shape));
    }

    /** The only paths of a chart are its dots: circles that were moved. */
    private static Shape circle(Shape shape) {
      if (!(shape instanceof Path2D)) {
        return shape;
      }
      Ellipse2D circle = new Ellipse2D.Double();
      circle.setFrame(shape.getBounds2D());
      return circle;
    }
  }
}

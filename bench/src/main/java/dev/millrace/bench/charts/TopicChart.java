package dev.millrace.bench.charts;

import dev.millrace.bench.charts.Drawn.Part;
import dev.millrace.bench.charts.Panel.Cell;
import dev.millrace.bench.charts.Panel.Row;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItem;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.AxisSpace;
import org.jfree.chart.axis.AxisState;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTick;
import org.jfree.chart.axis.TickType;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYErrorRenderer;
import org.jfree.chart.title.LegendTitle;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.xy.XYIntervalSeries;
import org.jfree.data.xy.XYIntervalSeriesCollection;

/**
 * A topic as a picture: a dot for each median, a bar from the least to the most, on a logarithmic
 * axis; a lane for each contender of a row.
 */
final class TopicChart {
  private static final int WIDTH = 860;
  private static final double LANE_HEIGHT = 11;
  private static final double GAP = 0.9; // between rows, in lanes
  private static final double AXIS_HEIGHT = 46;
  private static final double LEGEND_HEIGHT = 26;
  private static final double MARGIN = 12;
  private static final double EDGE = 0.02; // left and right of the figures, of their decades
  private static final double LEAST_EDGE = 1.02;
  private static final double NARROW_DECADES = 0.8;
  private static final double WIDE_DECADES = 4;

  private static final Color TEXT = new Color(0x24313d);
  private static final Color GRID = new Color(0xe3e8ec);
  private static final String FAR = "far";
  private static final Shape DOT = new Ellipse2D.Double(-3.5, -3.5, 7, 7);

  /** Millrace's first. */
  private static final List<Color> COLORS =
      List.of(
          new Color(0xd9480f),
          new Color(0x1c7ed6),
          new Color(0x2f9e44),
          new Color(0x9c36b5),
          new Color(0x6c757d),
          new Color(0xb08900),
          new Color(0x0c8599));

  private final Drawn drawn;
  private final List<String> contenders;
  private final Font font = SvgPage.font();

  private TopicChart(Drawn drawn) {
    this.drawn = drawn;
    this.contenders = List.copyOf(drawn.contenders());
  }

  /** The picture, in SVG; the same figures give the same text. */
  static String svg(Drawn drawn) throws IOException {
    return new TopicChart(drawn).svg();
  }

  private String svg() throws IOException {
    List<Lanes> panels = drawn.parts().stream().map(part -> new Lanes(part, contenders)).toList();
    double height = LEGEND_HEIGHT + panels.stream().mapToDouble(this::height).sum();
    return SvgPage.of(drawn.topic().title(), WIDTH, (int) height, g2 -> draw(g2, panels));
  }

  private double height(Lanes lanes) {
    return lanes.count() * LANE_HEIGHT + AXIS_HEIGHT;
  }

  private void draw(Graphics2D g2, List<Lanes> panels) {
    double y = 0;
    for (Lanes lanes : panels) {
      boolean isFirst = y == 0;
      double height = height(lanes) + (isFirst ? LEGEND_HEIGHT : 0);
      chart(lanes, isFirst).draw(g2, new Rectangle2D.Double(0, y, WIDTH, height));
      y += height;
    }
  }

  private JFreeChart chart(Lanes lanes, boolean hasLegend) {
    XYPlot plot = new XYPlot();
    addSeries(plot, lanes);
    plot.setDomainAxis(xAxis(lanes.part()));
    plot.setRangeAxis(yAxis(lanes));
    plot.setBackgroundPaint(null);
    plot.setOutlineVisible(false);
    plot.setDomainGridlinePaint(GRID);
    plot.setDomainGridlineStroke(new BasicStroke(1));
    plot.setRangeGridlinesVisible(false);
    plot.setAxisOffset(RectangleInsets.ZERO_INSETS);
    plot.setInsets(RectangleInsets.ZERO_INSETS);
    AxisSpace left = new AxisSpace();
    left.setLeft(labelWidth());
    plot.setFixedRangeAxisSpace(left);
    lanes.part().rows().stream()
        .skip(1)
        .forEach(
            row ->
                plot.addRangeMarker(new ValueMarker(lanes.border(row), GRID, new BasicStroke(1))));
    JFreeChart chart = new JFreeChart(null, font, plot, false);
    chart.setBackgroundPaint(null);
    chart.setPadding(new RectangleInsets(MARGIN / 2, MARGIN, MARGIN / 2, MARGIN * 2));
    if (hasLegend) {
      chart.addLegend(legend(plot));
    }
    return chart;
  }

  /** The widest name of a row, so that all panels begin at the same place. */
  private double labelWidth() {
    return MARGIN
        + drawn.parts().stream()
            .flatMap(part -> part.rows().stream())
            .mapToDouble(row -> SvgPage.width(row.name()))
            .max()
            .orElseThrow();
  }

  private void addSeries(XYPlot plot, Lanes lanes) {
    XYIntervalSeriesCollection data = new XYIntervalSeriesCollection();
    XYErrorRenderer renderer = new XYErrorRenderer();
    renderer.setDrawYError(false);
    renderer.setUseFillPaint(true); // a dot that is white inside hides the bar
    renderer.setCapLength(5);
    renderer.setErrorStroke(new BasicStroke(1.5f));
    for (String contender : contenders) {
      for (String cores : lanes.part().cells().stream().map(Cell::cores).distinct().toList()) {
        XYIntervalSeries series = new XYIntervalSeries(contender + " " + cores);
        for (Cell cell : lanes.part().cells()) {
          if (cell.contender().equals(contender) && cell.cores().equals(cores)) {
            double lane = lanes.place(cell.row(), contender);
            series.add(cell.median(), cell.least(), cell.most(), lane, lane, lane);
          }
        }
        int index = data.getSeriesCount();
        data.addSeries(series);
        renderer.setSeriesPaint(index, color(contender));
        renderer.setSeriesShape(index, DOT);
        renderer.setSeriesFillPaint(index, cores.equals(FAR) ? Color.WHITE : color(contender));
      }
    }
    plot.setDataset(data);
    plot.setRenderer(renderer);
  }

  private Color color(String contender) {
    return COLORS.get(contenders.indexOf(contender) % COLORS.size());
  }

  private LegendTitle legend(XYPlot plot) {
    LegendItemCollection items = new LegendItemCollection();
    for (String contender : contenders) {
      items.add(item(contender, color(contender), true));
    }
    if (drawn.hasPlacements()) {
      items.add(item("near cores", TEXT, true));
      items.add(item("far cores", TEXT, false));
    }
    plot.setFixedLegendItems(items);
    LegendTitle legend = new LegendTitle(plot);
    legend.setPosition(RectangleEdge.TOP);
    legend.setItemFont(font);
    legend.setItemPaint(TEXT);
    legend.setBackgroundPaint(null);
    legend.setFrame(BlockBorder.NONE);
    return legend;
  }

  private static LegendItem item(String label, Color color, boolean isFilled) {
    Color fill = isFilled ? color : Color.WHITE;
    return new LegendItem(label, null, null, null, DOT, fill, new BasicStroke(1), color);
  }

  private void style(ValueAxis axis) {
    axis.setLabelFont(font);
    axis.setLabelPaint(TEXT);
    axis.setTickLabelFont(font);
    axis.setTickLabelPaint(TEXT);
    axis.setAxisLineVisible(false);
    axis.setTickMarksVisible(false);
  }

  private LogAxis xAxis(Part part) {
    double least = part.cells().stream().mapToDouble(Cell::least).min().orElseThrow();
    double most = part.cells().stream().mapToDouble(Cell::most).max().orElseThrow();
    double edge = Math.max(LEAST_EDGE, Math.pow(most / least, EDGE));
    LogAxis axis =
        new LogAxis(part.panel().axis() + " (" + part.panel().better().text() + ")") {
          @Override
          public List<NumberTick> refreshTicks(
              Graphics2D g2, AxisState state, Rectangle2D area, RectangleEdge edge) {
            return ticks(least, most);
          }
        };
    style(axis);
    axis.setRange(least / edge, most * edge);
    return axis;
  }

  /** Round numbers within the figures, about as many as fit. */
  private static List<NumberTick> ticks(double least, double most) {
    double decades = Math.log10(most / least);
    int[] digits =
        decades > WIDE_DECADES
            ? new int[] {1}
            : decades > NARROW_DECADES ? new int[] {1, 2, 5} : new int[] {1, 2, 3, 4, 5, 6, 8};
    List<NumberTick> ticks = new ArrayList<>();
    for (int power = (int) Math.floor(Math.log10(least)); Math.pow(10, power) <= most; power++) {
      for (int digit : digits) {
        double one = digit * Math.pow(10, power);
        if (one >= least && one <= most) {
          ticks.add(tick(one, Drawn.rounded(one), TextAnchor.TOP_CENTER));
        }
      }
    }
    return ticks;
  }

  private static NumberTick tick(double value, String label, TextAnchor anchor) {
    return new NumberTick(TickType.MAJOR, value, label, anchor, anchor, 0);
  }

  private NumberAxis yAxis(Lanes lanes) {
    NumberAxis axis =
        new NumberAxis() {
          @Override
          public List<NumberTick> refreshTicks(
              Graphics2D g2, AxisState state, Rectangle2D area, RectangleEdge edge) {
            return lanes.part().rows().stream()
                .map(row -> tick(lanes.middle(row), row.name(), TextAnchor.CENTER_RIGHT))
                .toList();
          }
        };
    style(axis);
    axis.setRange(1 - GAP / 2 - lanes.count(), (1 + GAP) / 2);
    return axis;
  }

  /** Where rows and contenders lie from top to bottom. */
  private record Lanes(Part part, List<String> contenders) {
    private List<String> of(Row row) {
      List<String> its =
          part.cells().stream()
              .filter(cell -> cell.row().equals(row))
              .map(Cell::contender)
              .toList();
      return contenders.stream().filter(its::contains).toList();
    }

    double count() {
      return part.rows().stream().mapToDouble(row -> of(row).size() + GAP).sum();
    }

    /** The middle of the row's first lane; less is further down. */
    private double top(Row wanted) {
      return -part.rows().stream()
          .takeWhile(row -> !row.equals(wanted))
          .mapToDouble(row -> of(row).size() + GAP)
          .sum();
    }

    double place(Row row, String contender) {
      return top(row) - of(row).indexOf(contender);
    }

    double middle(Row row) {
      return top(row) - (of(row).size() - 1) / 2.0;
    }

    /** Between a row and the one above. */
    double border(Row row) {
      return top(row) + (1 + GAP) / 2;
    }
  }
}

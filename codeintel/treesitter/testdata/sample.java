/* Copyright. */
package com.example.store;

import java.util.List;
import java.util.concurrent.*;
import static java.util.Objects.requireNonNull;

/**
 * Keeps orders.
 *
 * @param <T> what is ordered
 */
@Service("orders")
public abstract class OrderStore<T extends Comparable<T>> extends Store implements AutoCloseable, Iterable<T> {
  /** How many orders fit on a page. */
  public static final int PAGE_SIZE = 50;
  private static final Map<String, List<Integer>> INDEX = new HashMap<>() {{ put("{", null); }};

  @Inject private Clock clock;
  protected int total, open = 3;
  int[] counts = {1, 2, 3};
  Runnable task = () -> { run(); };

  static {
    System.loadLibrary("orders");
  }

  /** Makes a store. */
  public OrderStore(Clock clock) throws IOException {
    this.clock = requireNonNull(clock);
  }

  // Finds one order.
  @Override
  @Nullable
  public Order find(@NonNull String id, int... more) throws NotFound {
    if (id.isEmpty()) { return null; }
    Runnable r = new Runnable() {
      @Override public void run() { find("}"); }
    };
    return null;
  }

  protected abstract <R> List<R> map(Function<? super T, ? extends R> f);

  @Override
  public void close() {}

  public enum State {
    /** Not paid yet. */
    OPEN("o") {
      @Override boolean isFinal() { return false; }
    },
    PAID("p"),
    CLOSED;

    private final String code;

    State(String code) { this.code = code; }
    State() { this("c"); }

    boolean isFinal() { return true; }
  }

  public record Line(String sku, int quantity) {
    public Line {
      if (quantity < 0) throw new IllegalArgumentException();
    }

    int twice() { return quantity * 2; }
  }

  interface Listener {
    int PRIORITY = 1;

    void changed(Order order);

    default void closed() {}
  }
}

@Retention(RetentionPolicy.RUNTIME)
@interface Audited {
  String value() default "x";
}

sealed interface Shape permits Circle {}

final class Circle implements Shape {
  private final double radius = 1.0;

  double area() {
    var text = """
        class Fake {
        """;
    return Math.PI;
  }
}

package com.example.shop

import scala.collection.mutable.{Map => MutableMap, ListBuffer}
import java.time._

/** Things to sell. */
sealed trait Item extends Product with Serializable {
  type Price = BigDecimal
  def price: BigDecimal
  val name: String
  def describe(verbose: Boolean = false): String = {
    val local = s"$name }"
    def helper(x: Int) = x
    local
  }
}

case class Book(title: String, pages: Int) extends Item {
  def price = BigDecimal(10)
  override val name: String = title
  private var read = false
}

case object Nothing extends Item {
  def price = 0
  val name = "nothing"
}

/** Makes things. */
object Item {
  val Limit = 10
  implicit val ordering: Ordering[Item] = Ordering.by(_.price)
  def apply(title: String): Item = Book(title, 1)
  def unapply(item: Item): Option[String] =
    Some(item.name)

  class Builder[T <: Item](val kind: Char = '{') {
    def build(): T = ???
  }
}

abstract class Store[F[_]: Monad](clock: Clock) {
  @tailrec
  final def find[A](id: String)(implicit ev: A =:= Item): F[Option[A]]
  protected def `odd name`: Unit = ()
}

class Cart(items: List[Item])

object Main extends App {
  lazy val cart = new Cart(Nil)
  println("""def fake() {""")
}

@file:JvmName("Orders")

package com.example.orders

import kotlinx.coroutines.*
import com.example.store.Store as Shop

/** The rate. */
const val RATE = 0.19
val names: List<String> = listOf("a", "{")
private var counter = 0
typealias Handler = (Order) -> Unit

/**
 * What somebody wants.
 */
@Serializable
data class Order(
    val id: String,
    var total: Int = 0,
    note: String? = null,
) : Entity(id), Comparable<Order> {

    val isOpen: Boolean
        get() = total > 0

    lateinit var store: Shop

    init {
        require(id.isNotEmpty()) { "empty }" }
    }

    constructor(id: Int) : this(id.toString())

    // Sums it up.
    override fun compareTo(other: Order): Int = total - other.total

    suspend fun load(count: Int): List<Order> {
        val local = run { 1 }
        fun helper() {}
        return emptyList()
    }

    companion object {
        const val MAX = 10
        fun of(text: String) = Order(text)
    }

    inner class Line(val sku: String)

    enum class State(val code: Int) {
        OPEN(1),
        CLOSED(2) {
            override fun next() = OPEN
        };

        open fun next(): State = CLOSED
    }
}

sealed interface Event {
    data class Added(val order: Order) : Event
    object Cleared : Event
    fun describe(): String
}

object Registry : Store() {
    private val all = mutableMapOf<String, Order>()

    operator fun get(id: String) = all[id]
}

fun <T : Any> List<T>.second(): T? = getOrNull(1)

val String.shout: String
    get() = uppercase()

inline fun <reified T> parse(text: String): T where T : Any {
    return TODO(text)
}

fun `works with spaces`() = Unit

abstract class Base {
    abstract fun run()
    protected open val size = 1
}

fun main(args: Array<String>) {
    println("""fun fake() {""")
}

/* ring.c: a ring of bytes. */
#include <stdio.h>
#include "ring.h"
#ifdef _WIN32
#include <windows.h>
#endif

#define RING_MAX 4096
#define RING_NEXT(i, n) \
    (((i) + 1) % (n))

/* What a ring is. */
typedef struct ring {
    char *data;              /* the bytes */
    size_t head, tail;
    int (*on_full)(struct ring *, int);
    struct {
        unsigned flags : 3;
    } state;
    unsigned char name[16];
} ring_t;

struct node;

struct node {
    struct node *next;
    void *value;
};

typedef struct {
    int x, y;
} point;

enum color { RED, GREEN = 3, BLUE };

typedef enum {
    MODE_READ,
    MODE_WRITE = 1 << 2,
} mode;

union number {
    int whole;
    double real;
};

typedef unsigned long ulong_t;
typedef int (*compare_fn)(const void *, const void *);
typedef struct node *list;

static const int limit = 10;
int counter = 0, *cursor;
static const char *names[] = {"a", "b}", NULL};
extern int elsewhere;

static int ring_full(const ring_t *r);
void ring_free(ring_t *r);

/* Makes a ring.
 * The caller frees it. */
ring_t *ring_new(size_t size)
{
    static int made = 0;
    ring_t *r = malloc(sizeof *r);
    if (!r) {
        return NULL; /* } */
    }
    char c = '}';
    return r;
}

static inline int ring_full(const ring_t *r) { return r->head == r->tail; }

unsigned long
ring_hash(const char *key,
          int length)
{
    return 0;
}

int (*ring_handler(int kind))(int)
{
    return 0;
}

struct node *node_next(struct node *n) {
    return n->next;
}

__attribute__((noreturn)) void ring_abort(void) {
    for (;;) { }
}

int main(int argc, char **argv) {
    return ring_full(0);
}

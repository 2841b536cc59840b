/* What a parser without a preprocessor cannot read. */
#ifdef __cplusplus
extern "C" {
#endif

#define API extern __attribute__((visibility("default")))

API int (ring_open) (const char *path);
API void * JEMALLOC_NOTHROW
JEMALLOC_ATTR(malloc) JEMALLOC_ALLOC_SIZE(2)
ring_alloc(void *old, size_t size) {
    return old;
}

#ifdef RING_DEBUG
void ring_dump(ring_t *r, FILE *out) {
#else
void ring_dump(ring_t *r) {
#endif
    printf("%zu\n", r->head);
}

struct __attribute__ ((__packed__)) header {
    uint8_t len;
    char buf[];
};

LIST_HEAD(nodes, node)

int verbose =
#ifdef RING_DEBUG
    1
#else
    0
#endif
    ;

REGISTER_COMMAND(ring)
static int ring_command(int argc) { return argc; }

static void broken(void) {
    if (1) {

static void after(void) {
}

#ifdef __cplusplus
}
#endif

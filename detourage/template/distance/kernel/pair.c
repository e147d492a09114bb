#include "pair.h"

#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "mapping.h"
#include "savings.h"
#include "shape.h"

/* Maximum units of work for one pair: 3.5 s if every unit takes the maximum time, typically 1 s. */
static const int64_t MAX_PAIR_WORK = INT64_C(15000000000);

enum {
    NODE_WORK = 800,      /* units per node of both trees */
    BOUND_NODE_WORK = 80, /* units per node if only a lower bound is computed */
    WORD_WORK = 18        /* units per word, i.e. 64 cells of the table of two sequences */
};

/* Maximum number of words for the lower bound of one pair (a third of a second), and for the lower
 * bound of each of many pairs. */
static const int64_t MAX_WORDS = INT64_C(100000000), MAX_WORDS_AMONG_MANY = INT64_C(400000);

/* If the complete tables have more cells than MAX_PAIR_WORK times this factor, no band along the
 * diagonal is tried, because none would be narrow enough. */
static const double HOPELESS = 100;

/* Maximum memory of one pair, in bytes. */
static const size_t MAX_PAIR_MEMORY = (size_t)1 << 29;

/* Maximum number of nodes of the smaller tree for cells of 16 bits. Savings are at most twice this
 * number; the rest of the 16 bits is for the savings of a small subtree, which are added to the
 * base of a packed column. */
enum { NARROW_NODES = 16000 };

/* Maximum number of cells in the tables through which a mapping is traced back (about 5 s). */
static const int64_t MAX_TRACED_CELLS = INT64_C(2000000000);

/* Maximum number of pairs of nodes examined for a top-down mapping, per node of the two trees: such
 * a mapping is worthwhile only if it is much cheaper than the distance. */
enum { TOP_DOWN_PAIRS = 4 };

const Way USUAL_WAY = {.trims = true, .skips = true, .runs_bounded = true};

bool workspace_create(Workspace *workspace, const Forest *forest) {
    *workspace = (Workspace){.arena = {.limit = MAX_PAIR_MEMORY}};
    const size_t bytes = ((size_t)forest->subtrees + 1) * sizeof(int32_t);
    workspace->number = malloc(bytes);
    if (workspace->number) memset(workspace->number, 0xFF, bytes);
    return workspace->number != NULL;
}

void workspace_free(Workspace *workspace) {
    arena_free(&workspace->arena);
    free(workspace->number);
}

static int32_t failure(const Arena *arena) {
    return arena->out_of_memory ? PAIR_NO_MEMORY : PAIR_TOO_LARGE;
}

/* Both trees seen from one side. */
typedef struct {
    Tree a, b;
    Keyroots keyroots_a, keyroots_b;
} View;

static double table_size(const View *view) {
    return (double)view->keyroots_a.total_size * (double)view->keyroots_b.total_size;
}

static void look(View *view, Workspace *workspace) {
    find_keyroots(&view->a, &view->keyroots_a, workspace->number, &workspace->arena);
    find_keyroots(&view->b, &view->keyroots_b, workspace->number, &workspace->arena);
}

typedef struct {
    Rows rows;
    Columns columns;
    Job job;
    const VectorUnit *unit;
    bool is_narrow;
} Plan;

/* Returns whether tree a should form the columns. The columns are the tree with more to compute,
 * because rows have a fixed cost, unless the rows of gains would then take too much memory. */
static bool is_swapped(const View *view) {
    const double gains_a = (double)view->keyroots_a.subtrees * view->b.n;
    const double gains_b = (double)view->keyroots_b.subtrees * view->a.n;
    const double most = (double)MAX_PAIR_MEMORY / 8;
    const bool swapped = view->keyroots_a.total_size > view->keyroots_b.total_size;
    return swapped ? gains_b < most || gains_b < gains_a : gains_a > most && gains_b < gains_a;
}

static void make_plan(Plan *plan, const View *view, int32_t labels, const Way *way,
                      const Memo *memo, Arena *arena) {
    const bool swapped = is_swapped(view);
    const int32_t smaller = min32(view->a.n, view->b.n);
    plan->unit = way->unit;
    plan->is_narrow = smaller <= NARROW_NODES && way->width != CELLS_32;
    if (view->keyroots_a.total_size > INT32_MAX / 4 || view->keyroots_b.total_size > INT32_MAX / 4) {
        arena->over_limit = true;
        return;
    }
    lay_out_rows(&plan->rows, swapped ? &view->b : &view->a,
                 swapped ? &view->keyroots_b : &view->keyroots_a, labels, arena);
    lay_out_columns(&plan->columns, swapped ? &view->a : &view->b,
                    swapped ? &view->keyroots_a : &view->keyroots_b,
                    plan->is_narrow ? way->unit->narrow.shape : way->unit->wide.shape, labels,
                    plan->is_narrow ? INT16_MAX : INT32_MAX / 2, arena);
    plan->job = (Job){.rows = &plan->rows, .columns = &plan->columns, .memo = memo};
    if (!arena_failed(arena)) prepare_job(&plan->job, arena);
}

static int32_t run(Plan *plan, int32_t bound, int32_t *trees, Arena *arena) {
    plan->job.bound = bound;
    return plan->is_narrow ? savings_narrow(&plan->job, plan->unit, trees, arena)
                           : savings_wide(&plan->job, plan->unit, trees, arena);
}

static Cost cost(Plan *plan, int32_t bound) {
    plan->job.bound = bound;
    return count_cost(&plan->job, !plan->is_narrow);
}

/* Adds to the work of a pair; returns false if the total exceeds the limit. */
static bool may_take(Workspace *workspace, int64_t work) {
    if (work > MAX_PAIR_WORK - workspace->work) return false;
    workspace->work += work;
    return true;
}

/* The result of a bounded run is exact if it is within the bound. If not, it is still the cost of a
 * mapping and therefore an upper bound of the distance. The first bound tried exceeds the lower
 * bound by half, and a band is used if it saves at least a third of the cells (measured on the
 * pairs of 29 sites). */
static int32_t distance_by_tables(Plan *plan, int32_t lower, int32_t upper, int32_t bound,
                                  const Way *way, Workspace *workspace) {
    Arena *arena = &workspace->arena;
    const int32_t nodes = plan->rows.tree->n + plan->columns.tree->n;
    const int64_t preparation = count_preparation(&plan->job);
    if (!may_take(workspace, preparation)) return PAIR_TOO_LARGE;
    const Cost all = cost(plan, NO_BOUND);
    int32_t reach = lower + lower / 2 + 8;
    for (;;) {
        const int32_t limit = min32(bound, upper - 1);
        if (reach > limit) reach = limit;
        if (!may_take(workspace, 2 * preparation)) return PAIR_TOO_LARGE;
        const Cost near = way->runs_bounded ? cost(plan, reach) : all;
        const bool is_bounded = 3 * near.cells < 2 * all.cells;
        if (!may_take(workspace, is_bounded ? near.work : all.work)) return PAIR_TOO_LARGE;
        const ArenaMark mark = arena_mark(arena);
        const int32_t found = nodes - run(plan, is_bounded ? reach : NO_BOUND, NULL, arena);
        if (arena_failed(arena)) return failure(arena);
        arena_return(arena, mark);
        if (!is_bounded || found <= reach) return min32(found, bound + 1);
        upper = min32(upper, found);
        if (reach == limit) return min32(upper, bound + 1);
        reach = min32(2 * reach, found);
    }
}

static bool find_label(const Tree *tree, int32_t label, int32_t *node) {
    for (int32_t i = 0; i < tree->n; i++)
        if (tree->label[i] == label) {
            *node = i;
            return true;
        }
    return false;
}

static bool is_cheaper(const View *right, const View *left, const Way *way) {
    if (way->side != SIDE_CHEAPER) return way->side == SIDE_RIGHT;
    return table_size(right) < table_size(left);
}

/* Edit distance of the labels in postorder. For mirrored trees, these are the labels in reversed
 * preorder. */
static int32_t sequence_bound(const Tree *a, const Tree *b, int32_t labels, int64_t most,
                              Arena *arena) {
    return sequence_distance(a->label, a->n, b->label, b->n, labels, most, arena);
}

static int64_t sequence_work(const Tree *a, const Tree *b, int64_t most) {
    const int64_t words = sequence_words(a->n, b->n);
    return words > most ? 0 : 2 * WORD_WORK * words;
}

int32_t pair_distance(const Forest *forest, int32_t a, int32_t b, int32_t bound, const Way *way,
                      const Memo *memo, Workspace *workspace) {
    Arena *arena = &workspace->arena;
    arena_reset(arena);
    bound = min32(bound, UNBOUNDED);
    View left = {.a = forest->trees[a], .b = forest->trees[b]};
    workspace->work = NODE_WORK * ((int64_t)left.a.n + left.b.n);
    int32_t distance;
    if (way->trims) {
        if (!trim(&forest->trees[a], &forest->trees[b], &left.a, &left.b, &distance, arena))
            return min32(distance, bound + 1);
    }
    if (arena_failed(arena)) return failure(arena);
    const int32_t n = left.a.n, m = left.b.n;
    if (n == 1 || m == 1) {
        int32_t node;
        const bool is_equal = n == 1 ? find_label(&left.b, left.a.label[0], &node)
                                     : find_label(&left.a, left.b.label[0], &node);
        return min32(max32(n, m) - is_equal, bound + 1);
    }
    View right;
    mirror(&left.a, &right.a, NULL, arena);
    mirror(&left.b, &right.b, NULL, arena);
    look(&left, workspace);
    look(&right, workspace);
    if (arena_failed(arena)) return failure(arena);
    const View *view = is_cheaper(&right, &left, way) ? &right : &left;
    int32_t lower = n < m ? m - n : n - m, upper = n + m;
    if (way->runs_bounded || bound < UNBOUNDED) {
        workspace->work += sequence_work(&left.a, &left.b, MAX_WORDS);
        lower = max32(sequence_bound(&left.a, &left.b, forest->labels, MAX_WORDS, arena),
                      sequence_bound(&right.a, &right.b, forest->labels, MAX_WORDS, arena));
    }
    if (arena_failed(arena)) return failure(arena);
    if (lower > bound) return bound + 1;
    if (way->skips)
        upper = top_down_distance(&left.a, &left.b, TOP_DOWN_PAIRS * ((int64_t)n + m), arena);
    if (arena_failed(arena)) return failure(arena);
    if (lower == upper) return upper;
    if (table_size(view) > HOPELESS * (double)MAX_PAIR_WORK) return PAIR_TOO_LARGE;
    Plan plan;
    make_plan(&plan, view, forest->labels, way, memo, arena);
    if (arena_failed(arena)) return failure(arena);
    return distance_by_tables(&plan, lower, upper, bound, way, workspace);
}

int32_t pair_lower_bound(const Forest *forest, int32_t a, int32_t b, Workspace *workspace) {
    Arena *arena = &workspace->arena;
    arena_reset(arena);
    const Tree *f = &forest->trees[a], *g = &forest->trees[b];
    Tree image_f, image_g;
    const int64_t most = MAX_WORDS_AMONG_MANY;
    workspace->work = BOUND_NODE_WORK * ((int64_t)f->n + g->n) + sequence_work(f, g, most);
    mirror(f, &image_f, NULL, arena);
    mirror(g, &image_g, NULL, arena);
    if (arena_failed(arena)) return failure(arena);
    const int32_t lower =
        max32(sequence_bound(f, g, forest->labels, most, arena),
              sequence_bound(&image_f, &image_g, forest->labels, most, arena));
    return arena_failed(arena) ? failure(arena) : lower;
}

/* Maps the rows of a plan to its columns and returns the savings. Reports failure through the
 * arena. */
static int32_t map_rows(Plan *plan, int32_t *mapped, Arena *arena) {
    const Keyroots *f = plan->rows.keyroots, *g = plan->columns.keyroots;
    int32_t *trees = TAKE(arena, int32_t, (size_t)f->subtrees * (size_t)g->subtrees);
    if (arena_failed(arena)) return 0;
    const int32_t savings = run(plan, NO_BOUND, trees, arena);
    if (arena_failed(arena)) return 0;
    Trace trace = {
        .f = plan->rows.tree,
        .g = plan->columns.tree,
        .number_f = f->subtree,
        .number_g = g->subtree,
        .trees = trees,
        .width = g->subtrees,
        .mapped = mapped,
        .cells_left = MAX_TRACED_CELLS,
        .arena = arena,
    };
    for (int32_t i = 0; i < trace.f->n; i++) mapped[i] = -1;
    trace_back(&trace);
    return savings;
}

int32_t pair_mapping(const Forest *forest, int32_t a, int32_t b, const Way *way, int32_t *mapped,
                     Workspace *workspace) {
    Arena *arena = &workspace->arena;
    arena_reset(arena);
    View left = {.a = forest->trees[a], .b = forest->trees[b]}, right;
    workspace->work = NODE_WORK * ((int64_t)left.a.n + left.b.n);
    const int32_t n = left.a.n, m = left.b.n;
    if (left.a.subtree[n - 1] == left.b.subtree[m - 1]) {
        for (int32_t i = 0; i < n; i++) mapped[i] = i;
        return 0;
    }
    for (int32_t i = 0; i < n; i++) mapped[i] = -1;
    if (n == 1 || m == 1) {
        int32_t i = n - 1, j = m - 1;
        const bool is_equal = n == 1 ? find_label(&left.b, left.a.label[0], &j)
                                     : find_label(&left.a, left.b.label[0], &i);
        mapped[i] = j;
        return max32(n, m) - is_equal;
    }
    /* Number of cells in the first table through which the mapping is traced back. */
    const int64_t traced = ((int64_t)n + 1) * ((int64_t)m + 1);
    if (traced > MAX_TRACED_CELLS || (size_t)traced > MAX_PAIR_MEMORY / sizeof(int32_t))
        return PAIR_TOO_LARGE;
    int32_t *shown_a = TAKE(arena, int32_t, n), *shown_b = TAKE(arena, int32_t, m);
    if (arena_failed(arena)) return failure(arena);
    mirror(&left.a, &right.a, shown_a, arena);
    mirror(&left.b, &right.b, shown_b, arena);
    look(&left, workspace);
    look(&right, workspace);
    if (arena_failed(arena)) return failure(arena);
    const bool is_right = is_cheaper(&right, &left, way);
    const View *view = is_right ? &right : &left;
    Plan plan;
    make_plan(&plan, view, forest->labels, way, NULL, arena);
    if (arena_failed(arena)) return failure(arena);
    if (!may_take(workspace, 2 * count_preparation(&plan.job)) ||
        !may_take(workspace, cost(&plan, NO_BOUND).work))
        return PAIR_TOO_LARGE;
    const int32_t rows = plan.rows.tree->n;
    int32_t *of_row = TAKE(arena, int32_t, rows);
    if (arena_failed(arena)) return failure(arena);
    const int32_t savings = map_rows(&plan, of_row, arena);
    if (arena_failed(arena)) return failure(arena);
    for (int32_t i = 0; i < rows; i++) {
        if (of_row[i] < 0) continue;
        const bool swapped = plan.rows.tree == &view->b;
        const int32_t node_a = swapped ? of_row[i] : i, node_b = swapped ? i : of_row[i];
        mapped[is_right ? shown_a[node_a] : node_a] = is_right ? shown_b[node_b] : node_b;
    }
    return n + m - savings;
}

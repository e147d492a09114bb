"""Train the reader's network: python train.py TAG 'JSON of options'."""
import gzip, hashlib, json, os, pickle, sys, time
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import jax, jax.numpy as jnp, numpy as np, optax
from network import Noise, Shape, initial, judge, pieces_of
jax.config.update("jax_compilation_cache_dir", "cache")
INFO = json.load(open("feat/columns.json")); ROLES = INFO["roles"]; TEXT = set(INFO["text"]); R = len(ROLES)
ISTEXT = np.array([r in TEXT for r in ROLES]); RI = {r: i for i, r in enumerate(ROLES)}
KINDS = ["article", "forum", "product", "listing", "collection", "documentation", "service"]
OF_ARTICLES = {"daniel", "fundus_body", "l3s_gn1", "msv_big9"}; LOOSE = {"dragnet"}
O = dict(epochs=5, lr=2e-3, lines=4096, names=6144, pages=64, kd=1.0, roles=1.0, f1=.3, seed=0, ema=.995, smooth=.02, comments=.5, kind=.3, kdkind=.3, val=10, cap={"dragnet": 330, "l3s_gn1": 160, "daniel": 520, "msv_big9": 80}, maxl=600, more=0, noise={}, shape={}, start=None, corpora="wcxb fundus_body trafilatura_eval daniel msv_big9 l3s_gn1 dragnet zh_cwced cleanportaleval postlight reader_comments forum_threads", scale={})

def load(names, cap, maxl):
    out = []
    for name in names:
        if not os.path.exists(f"feat/{name}.npz"): print("no", name); continue
        z = np.load(f"feat/{name}.npz"); a = {k: z[k] for k in z.files if k not in ("len", "tab", "tablen", "page")}
        off = np.concatenate([[0], np.cumsum(z["len"])]); to = np.concatenate([[0], np.cumsum(z["tablen"])]); tab, page = z["tab"], z["page"]
        metas = [json.loads(l) for l in gzip.open(f"feat/{name}.meta.gz", "rt")]
        k = cap.get(name); take = range(len(metas)) if not k or k >= len(metas) else np.linspace(0, len(metas) - 1, k).astype(int)
        for i in take:
            m = metas[i]; p = dict(m, **{q: v[off[i]:off[i + 1]][:maxl] for q, v in a.items()}); p["texts"] = p["texts"][:maxl]
            for g in ("gp", "gb", "gg"): p[g] = np.unique(p[g], return_inverse=True)[1].astype(np.int32)
            p["tab"] = tab[to[i]:to[i + 1]]; p["page"] = page[i]; out.append(p)
    return out
def fold(site, n=10): return int(hashlib.sha256(site.encode()).hexdigest(), 16) % n
def conv_name(p): return p["corpus"] + "/" + (p["kind"] or "article")

def prepare(pages, conv, rwt):
    for p in pages:
        n = len(p["cnt"]); r = np.sqrt(p["cnt"]); w = r / max(1., r.sum()); k = p["kind"]
        sh = p["share"].astype(np.float32); y = np.zeros(n, np.float32); wy = np.zeros(n, np.float32)
        if sh.max(initial=-1) >= 0:
            y = (sh > .5).astype(np.float32); wy = w * (np.minimum(1, p["cnt"] / 30) if p["corpus"] in LOOSE else 1.)
        elif (p["hint"] >= 0).any():
            m = p["hint"] >= 0; y = (p["hint"] > 0).astype(np.float32); wy = np.where(m, r, 0); wy = .3 * min(1, m.sum() / 10) * wy / max(1., wy.sum())
        role = p["role"].astype(np.int32); has = role >= 0
        wt = np.where(has, r, 0); wt = wt / max(1., wt.sum()); wr = np.where(has, rwt[np.maximum(role, 0)], 0) / max(1, has.sum())
        com = p["com"].astype(np.float32); known = com.max(initial=-1) >= 0; start = p["cstart"].astype(np.float32)
        kind = "article" if p["corpus"] in OF_ARTICLES else k
        p["L"] = dict(y=y, wy=wy.astype(np.float32), yt=(has & ISTEXT[np.maximum(role, 0)]).astype(np.float32), wt=wt.astype(np.float32), role=np.where(has, role, 0).astype(np.int32), wr=wr.astype(np.float32), com=(com > .5).astype(np.float32), cst=np.maximum(start, 0).astype(np.float32),
                      wc=(w * known).astype(np.float32), wc2=(np.full(n, 1 / n) * known * (start.max(initial=0) > 0) * 2).astype(np.float32), wk=(.5 * w + .5 / n).astype(np.float32))
        p["cv"] = conv.get(conv_name(p), 0); p["kd_"] = KINDS.index(kind) if kind in KINDS else -1
LAB = ("y", "wy", "yt", "wt", "role", "wr", "com", "cst", "wc", "wc2", "wk")
def quantised(X, q): return np.round(np.clip((X[:, q[0]].astype(np.float32) - q[1]) / q[2], 0, 1) * 255).astype(np.uint8)
def pack(ps, N, PT, P, labels, random=None, width=0):
    b = dict(pieces=np.zeros((N, ps[0]["Z"].shape[1]), np.uint8), words=np.zeros((N, 32), np.int32), shapes=np.zeros((N, 3), np.int32), links=np.zeros((N, 6), np.int32), places=np.zeros((N, 9), np.int32), cnt=np.zeros(N, np.float32), conv=np.zeros(N, np.int32),
             page_of_line=np.full(N, P, np.int32), names=np.zeros((PT, 12), np.int32), page_of_name=np.full(PT, P, np.int32), page_words=np.zeros((P + 1, 32), np.int32))
    for g in ("paths", "parents", "grandparents"): b[g] = np.full(N, N - 1, np.int32)
    if labels:
        for k in LAB: b[k] = np.zeros(N, np.int32 if k == "role" else np.float32)
        b["kdr"] = np.zeros((N, R), np.float32); b["kdt"] = np.zeros(N, np.float32); b["kind"] = np.full(P, -1, np.int32); b["kdk"] = np.zeros((P, len(KINDS)), np.float32); b["npages"] = np.float32(len(ps))
    o = t = 0
    for i, p in enumerate(ps):
        n, m = len(p["cnt"]), len(p["tab"]); s = slice(o, o + n)
        b["pieces"][s] = p["Z"]; b["words"][s] = p["w"]; b["shapes"][s] = p["s"]; b["links"][s] = p["l"]; b["cnt"][s] = p["cnt"]; b["conv"][s] = p.get("cv", 0); b["page_of_line"][s] = i; b["page_words"][i] = p["page"]
        b["places"][s] = np.where(p["anc"] > 0, p["anc"].astype(np.int32) + t, 0); b["names"][t:t + m] = p["tab"]; b["page_of_name"][t:t + m] = i
        for g, k in (("paths", "gp"), ("parents", "gb"), ("grandparents", "gg")): b[g][s] = p[k] + o
        if labels:
            for k in LAB: b[k][s] = p["L"][k]
            b["kdr"][s] = p["kdr"]; b["kdt"][s] = p["kdt"]; b["kind"][i] = p["kd_"]; b["kdk"][i] = [p["kinds"].get(k, 0.) for k in KINDS]
        o += n; t += m
    if random is not None:
        u = lambda *s: np.frombuffer(random.bytes(int(np.prod(s))), np.uint8).reshape(s)
        b.update(random=u(N, width), random_names=u(PT, 12), random_pages=u(P + 1), random_words=u(P + 1, 32))
    return b
def plan(pages, N, PT, P, order):
    out = [[]]; o = t = 0
    for i in order:
        n, m = len(pages[i]["cnt"]), len(pages[i]["tab"])
        if n > N or m > PT: continue
        if o + n > N or t + m > PT or len(out[-1]) >= P: out.append([]); o = t = 0
        out[-1].append(i); o += n; t += m
    return [x for x in out if x]
def gold_prob(p, lp, h, c):
    q = jnp.clip((jnp.exp(lp) * jax.nn.sigmoid(p["convention"])[c]).sum(-1), 1e-4, 1 - 1e-4)
    return jax.nn.sigmoid(jnp.log(q / (1 - q)) + (h * p["gold"][c]).sum(-1) * .3 + p["gold_bias"][c])
def loss(o, shape, noise, p, b, q):
    J = judge(shape, p, b, q, noise); lo, co, h, kl = J["roles"], J["comments"], J["hidden"], J["kinds"]; P = o["pages"]; seg = b["page_of_line"]; lp = jax.nn.log_softmax(lo, -1)
    T = jnp.clip((jnp.exp(lp) * ISTEXT).sum(-1), 1e-4, 1 - 1e-4); G = jnp.clip(gold_prob(p, lp, h, b["conv"]), 1e-4, 1 - 1e-4); S = lambda v: jax.ops.segment_sum(v, seg, P + 1)[:P]
    def text(prob, y, w):
        e = -(y * jnp.log(prob) + (1 - y) * jnp.log(1 - prob)); ln = b["cnt"] * (w > 0); f = 2 * S(prob * y * ln) / jnp.maximum(1., S(prob * ln) + S(y * ln))
        return (S(e * w) + o["f1"] * (1 - f) * S(w)).sum()
    sm = lambda y: y * (1 - o["smooth"]) + o["smooth"] / 2
    tot = text(G, sm(b["y"]), b["wy"]) + text(T, sm(b["yt"]), b["wt"])
    ce = -(jnp.take_along_axis(lp, b["role"][:, None], 1)[:, 0] * (1 - o["smooth"]) + o["smooth"] * lp.mean(-1)); tot += o["roles"] * (ce * b["wr"]).sum()
    if o["kd"]:
        kd = -(b["kdr"] * lp).sum(-1); tt = jnp.clip(b["kdt"], 0, 1); kt = -(tt * jnp.log(T) + (1 - tt) * jnp.log(1 - T)); tot += o["kd"] * ((.3 * kd + .7 * kt) * b["wk"]).sum()
    y2 = jnp.stack([b["com"], b["cst"]], 1); tot += o["comments"] * (-(y2 * jax.nn.log_sigmoid(co) + (1 - y2) * jax.nn.log_sigmoid(-co)) * jnp.stack([b["wc"], b["wc2"]], 1)).sum()
    lk = jax.nn.log_softmax(kl, -1); tot += o["kind"] * (-jnp.take_along_axis(lk, jnp.maximum(b["kind"], 0)[:, None], 1)[:, 0] * (b["kind"] >= 0)).sum() - o["kdkind"] * (b["kdk"] * lk).sum()
    return tot / b["npages"] + .001 * (p["gold"] ** 2).mean()
def train(pages, o, log=print):
    rng = np.random.default_rng(o["seed"]); names = sorted({conv_name(p) for p in pages}); conv = {n: i for i, n in enumerate(names)}; shape, noise = Shape(**{k: tuple(v) if isinstance(v, list) else v for k, v in o["shape"].items()}), Noise(**o["noise"])
    cnt = np.ones(R)
    for p in pages: cnt += np.bincount(np.maximum(p["role"], 0), p["role"] >= 0, minlength=R)
    rwt = cnt ** -.5; rwt *= cnt.sum() / (rwt @ cnt); prepare(pages, conv, rwt)
    old = pickle.load(open(o["start"], "rb")) if o["start"] else None
    q = old["q"] if old else pieces_of(np.concatenate([p["x"][::7] for p in pages]))
    for p in pages: p["Z"] = quantised(p["x"], q)
    params = initial(shape, len(q[0]), R, len(KINDS), len(names), o["seed"]); params["convention"] = jnp.asarray(np.tile(np.where(ISTEXT, 2.5, -2.5), (len(names), 1)), jnp.float32)
    if old: params = jax.tree.map(jnp.asarray, old["params"])
    log("columns", q[0][-1] + 1, "pieces", len(q[0]), "params", sum(x.size for x in jax.tree.leaves(params)))
    more = [i for i, p in enumerate(pages) if (p["role"] >= 0).any()] * o["more"]; more += [i for i, p in enumerate(pages) for _ in range(o["scale"].get(p["corpus"], 0))]; every = np.array([*range(len(pages)), *more]); N, PT, P = o["lines"], o["names"], o["pages"]
    steps = len(plan(pages, N, PT, P, rng.permutation(every))) * o["epochs"] + 5; sch = optax.cosine_onecycle_schedule(steps, o["lr"], .15)
    lab = lambda pr: {k: ("fast" if k in ("convention", "gold_bias") else jax.tree.map(lambda _: "net", v)) for k, v in pr.items()}
    opt = optax.chain(optax.clip_by_global_norm(5.), optax.multi_transform({"net": optax.adamw(sch, weight_decay=.02), "fast": optax.adam(lambda s: 10 * sch(s))}, lab)); st = opt.init(params)
    qq = dict(column=jnp.asarray(q[0]), low=jnp.asarray(q[1]), width=jnp.asarray(q[2])); width = 32 + 3 + 6 + 8 * shape.embedding + shape.width * (2 + len(shape.dilations) + len(shape.mixed))
    @jax.jit
    def step(params, st, ema, b, d):
        l, g = jax.value_and_grad(lambda p: loss(o, shape, noise, p, b, qq))(params); u, st = opt.update(g, st, params); params = optax.apply_updates(params, u)
        return params, st, jax.tree.map(lambda e, x: e * d + x * (1 - d), ema, params), l
    ema = params; n = 0; t0 = time.time()
    for e in range(o["epochs"]):
        tot = k = 0; pl = plan(pages, N, PT, P, rng.permutation(every))
        for g in (pl[i] for i in rng.permutation(len(pl))):
            params, st, ema, l = step(params, st, ema, pack([pages[i] for i in g], N, PT, P, True, rng, width), min(o["ema"], (1 + n) / (10 + n))); n += 1; k += 1
            if n % 20 == 0: tot += float(l) * 20
        log("epoch", e, "steps", k, "loss %.4f" % (tot / max(1, k)), "%.0f s" % (time.time() - t0), "cpu %.0f" % time.process_time())
    return dict(params=jax.tree.map(np.asarray, ema), q=q, conv=names, o=o, shape=shape)
_fw = {}
def predict(M, pages):
    N, PT, P = 4096, 6144, 64; shape = M["shape"]; q = M["q"]
    for p in pages: p["Z"] = quantised(p["x"], q)
    qq = dict(column=jnp.asarray(q[0]), low=jnp.asarray(q[1]), width=jnp.asarray(q[2]))
    if shape not in _fw: _fw[shape] = jax.jit(lambda p, b: judge(shape, p, b, qq, None))
    for g in plan(pages, N, PT, P, range(len(pages))):
        ps = [pages[i] for i in g]; J = {k: np.asarray(v) for k, v in _fw[shape](M["params"], pack(ps, N, PT, P, False)).items()}; o = 0
        for i, p in enumerate(ps):
            n = len(p["cnt"]); l = J["roles"][o:o + n]; l = l - l.max(1, keepdims=True); e = np.exp(l); p["pr"] = e / e.sum(1, keepdims=True); p["h"] = J["hidden"][o:o + n]; p["cp"] = 1 / (1 + np.exp(-J["comments"][o:o + n])); k2 = np.exp(J["kinds"][i] - J["kinds"][i].max()); p["pk"] = k2 / k2.sum(); p["T"] = p["pr"][:, ISTEXT].sum(1); o += n
def as_corpus(M, p, corpus):
    names = [(i, n.split("/")[1]) for i, n in enumerate(M["conv"]) if n.split("/")[0] == corpus]
    if not names: return p["T"]
    ws = np.array([p["pk"][KINDS.index(k)] if k in KINDS else 0 for _, k in names]); ws = ws / max(1e-6, ws.sum()); W = M["params"]; out = 0
    for w, (i, _) in zip(ws, names):
        q = np.clip(p["pr"] @ (1 / (1 + np.exp(-W["convention"][i]))), 1e-4, 1 - 1e-4); out = out + w / (1 + np.exp(-(np.log(q / (1 - q)) + .3 * p["h"] @ W["gold"][i] + W["gold_bias"][i])))
    return out
def choose(prob, ln):
    o = np.argsort(-prob, kind="stable"); r = np.cumsum((prob * ln)[o]); f = 2 * r / np.maximum(1e-9, np.cumsum(ln[o]) + r[-1]); ch = np.zeros(len(prob), bool); ch[o[:int(np.argmax(f)) + 1]] = True; return ch
def f1(p, ch):
    ln, sh = p["cnt"], np.maximum(p["share"].astype(np.float32), 0); return 2 * (ln * sh)[ch].sum() / max(1e-9, ln[ch].sum() + (ln * sh).sum())
def leak(p, ch):
    ln, sh = p["cnt"], np.maximum(p["share"].astype(np.float32), 0); return (ln * (1 - sh))[ch].sum() / max(1, (ln * sh).sum())
def wrong(p, ch):
    r = p["role"]; ok = (r >= 0) & (r != RI["title"]); return int((ch[ok] != ISTEXT[r[ok]]).sum())
def report(M, pages, log=print, tag=""):
    rows = {}
    for p in pages:
        if p["share"].max(initial=-1) >= 0:
            k = p["corpus"] if p["corpus"] in OF_ARTICLES or p["kind"] in (None, "article") else p["corpus"] + "+" + (p["kind"] or "")
            ch = [choose(x.astype(np.float64), p["cnt"]) for x in (p["T"], as_corpus(M, p, p["corpus"]), p["kdt"])]; a = [f1(p, c) for c in ch] + [leak(p, c) for c in ch]
            rows.setdefault(k, []).append(a)
            if "+" in k: rows.setdefault(p["corpus"] + "+", []).append(a)
    for k in sorted(rows): log(tag, k, len(rows[k]), "F1 roles %.4f gold-like %.4f stack %.4f; leak %.3f %.3f %.3f" % tuple(np.mean(rows[k], 0)))
    lab = [p for p in pages if (p["role"] >= 0).any() and p["kind"] in (None, "article")]
    if lab:
        for nm in ("T", "kdt"):
            w = np.array([wrong(p, choose(p[nm].astype(np.float64), p["cnt"])) for p in lab]); log(tag, "labelled", len(lab), {"T": "net", "kdt": "stack"}[nm], "exact %.3f near %.3f wrong lines %d" % ((w == 0).mean(), (w <= 1).mean(), w.sum()))
        tr = np.concatenate([p["role"] for p in lab]); pr = np.concatenate([p["pr"].argmax(1) for p in lab]); kr = np.concatenate([p["kdr"].argmax(1) for p in lab]); ok = tr >= 0; out = []
        for r in range(R):
            f = [2 * ((x == r) & (tr == r) & ok).sum() / max(1, ((x == r) & ok).sum() + ((tr == r) & ok).sum()) for x in (pr, kr)]; out.append("%s %.2f/%.2f" % (ROLES[r], *f))
        log(tag, "roles net/stack:", ", ".join(out))
    k = [p for p in pages if p["kind"] in KINDS]
    if k: log(tag, "kind", len(k), "net %.3f stack %.3f" % (np.mean([KINDS[int(p["pk"].argmax())] == p["kind"] for p in k]), np.mean([p["skind"] == p["kind"] for p in k])))
    for c in ("reader_comments", "forum_threads"):
        v = [p for p in pages if p["corpus"] == c and p["com"].max(initial=-1) > .5]; a = []; s3 = [0, 0, 0]
        for p in v:
            g = np.maximum(p["com"].astype(np.float32), 0); best = [2 * (p["cnt"] * g)[ch].sum() / max(1e-9, p["cnt"][ch].sum() + (p["cnt"] * g).sum()) for ch in (p["cp"][:, 0] > .5, choose(p["cp"][:, 0].astype(np.float64), p["cnt"]))]; a.append(best); y = p["cstart"] > 0; z = p["cp"][:, 1] > .4; s3[0] += (y & z).sum(); s3[1] += z.sum(); s3[2] += y.sum()
        if a: log(tag, c, len(a), "words of comments F1: at .5 %.3f best expected %.3f; starts P %.3f R %.3f" % (*np.mean(a, 0), s3[0] / max(1, s3[1]), s3[0] / max(1, s3[2])))
if __name__ == "__main__":
    tag, over = sys.argv[1], json.loads(sys.argv[2]) if len(sys.argv) > 2 else {}; o = dict(O, **over); f = open(f"out_{tag}.log", "a")
    def log(*a): s = " ".join(map(str, a)); print(s, flush=True); f.write(s + "\n"); f.flush()
    log("#", tag, over, time.strftime("%H:%M")); pages = load(o["corpora"].split(), o["cap"], o["maxl"])
    val = [p for p in pages if o["val"] and (fold(p["site"], 3) == 0 if p["corpus"] in ("reader_comments", "forum_threads") else fold(p["site"], o["val"]) == 0)]; ids = {id(p) for p in val}; tr = [p for p in pages if id(p) not in ids]
    log("train", len(tr), "lines", sum(len(p["cnt"]) for p in tr), "labelled", sum((p["role"] >= 0).any() for p in tr), "val", len(val))
    M = train(tr, o, log); pickle.dump(M, open(f"m_{tag}.pkl", "wb"))
    if val: predict(M, val); report(M, val, log, "val")

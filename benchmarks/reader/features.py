"""Columns of every page, labels, and the present product's opinion: python feats.py OUT NAME…"""
import gzip, json, sys, time
sys.path.insert(0,'BUILD'); sys.path.insert(0,'.')
import numpy as np, _core
from pathlib import Path
from benchmarks.evaluation.bench.measuring import measurable
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.scores import headline_of, load_corpus, matching_blocks, words
from benchmarks.evaluation.scores.roles import ROLES_FILE, align, load_roles
from benchmarks.extraction.labels import hinted_labels, lines_of_lead, shares_in_gold
from detourage.roles import ALL_ROLES, TEXT_ROLES
from detourage.reader.body import judge_page
from detourage.reader.lines import lines_of
from detourage.reader.outline import Outline
from detourage.papers.reading import page_of
from detourage.html.serialisation import serialised
from detourage.html.encoding import decode
from detourage.text.characters import character_tables
from detourage.text.mojibake import repair
t=character_tables(); TR,LO=t.traits.tobytes(),t.lower.tobytes()
BASE=Path('CORPORA'); OUT=Path(sys.argv[1]); MAXL=1500
RI={r:i for i,r in enumerate(ALL_ROLES)}
roles={(r.corpus,r.id):r for r in load_roles(BASE/'roles'/ROLES_FILE)}
def comments_said(texts, gold):
    if gold.comments is None and gold.comment_text is None: return None
    said=[c.text for c in gold.comments] if gold.comments is not None else [gold.comment_text or '']
    ws=[words(s) for s in said]; by=[words(x) for x in texts]
    A=[w for b in by for w in b]; B=[w for b in ws for w in b]
    starts=set(np.cumsum([0]+[len(x) for x in ws])[:-1].tolist()) if gold.comments is not None else set()
    hit=np.zeros(len(A)+1); st=np.zeros(len(A)+1)
    for a,b,s in matching_blocks(A,B):
        hit[a:a+s]=1
        for k in range(s):
            if b+k in starts: st[a+k]=1
    e=np.cumsum([0]+[len(b) for b in by]); ch,cs=np.concatenate([[0],np.cumsum(hit)]),np.concatenate([[0],np.cumsum(st)])
    return ((ch[e[1:]]-ch[e[:-1]])/np.maximum(1,np.diff(e))).astype(np.float16),((cs[e[1:]]-cs[e[:-1]])>0).astype(np.int8)
def columns(text,url):
    d=_core.columns(serialised(text.replace('\0','')),url or '',TR,LO); n=len(d['texts']); f=np.frombuffer
    return d['texts'],d['labels'],dict(x=f(d['numbers'],np.float32).reshape(n,-1).astype(np.float16),w=f(d['words'],np.uint16).reshape(n,-1),s=f(d['shapes'],np.uint16).reshape(n,-1),l=f(d['links'],np.uint16).reshape(n,-1),anc=f(d['places'],np.uint16).reshape(n,-1),gp=f(d['paths'],np.int32).astype(np.uint16),gb=f(d['parents'],np.int32).astype(np.uint16),gg=f(d['grandparents'],np.int32).astype(np.uint16),cnt=f(d['counts'],np.int32).astype(np.float32)),f(d['names'],np.uint16).reshape(-1,12),f(d['page'],np.uint16)
CAP={'dragnet':500,'l3s_gn1':400,'daniel':800,'msv_big9':200}
for name in sys.argv[2:]:
    t0=time.process_time(); corpus=load_corpus(BASE/name); ok={g.id for g in measurable(corpus) if g.text}
    acc={}; meta=[]; tabs=[]; pgs=[]; mism=0
    every=list(corpus.pages.values()); cap=CAP.get(name,10**9)
    lab={i for c,i in roles if c==name}
    if len(every)>cap:
        keep=[p for p in every if p.id in lab]; rest=[p for p in every if p.id not in lab]
        k=max(0,cap-len(keep)); every=keep+[rest[i] for i in np.linspace(0,len(rest)-1,k).astype(int)]
    for page in every:
        gold=corpus.golds.get(page.id)
        if gold is None: continue
        try:
            pg=page_of(Source(page.html,page.url,page.content_type)); o=Outline.of(pg.flat)
            text=pg.source.text if hasattr(pg.source,'text') else repair((decode(page.html,page.content_type).text if isinstance(page.html,bytes) else page.html).replace('\0',''))
            ls=lines_of(o)
            if not ls: continue
            texts,labels,d,table,pw=columns(text,page.url); n=len(texts)
            if n!=len(ls): mism+=1; continue
            j=judge_page(o,None,page.url)
        except Exception as ex:
            print(name,page.id,repr(ex)[:120],flush=True); continue
        labelled=roles.get((name,page.id)); head=headline_of(gold,pg.document) if page.id in ok else None
        old=[l.text for l in ls]
        d['share']=(shares_in_gold(texts,gold,head) if page.id in ok else np.full(n,-1.)).astype(np.float16)
        d['hint']=(hinted_labels(texts,gold) if page.id not in ok else np.full(n,-1)).astype(np.int8)
        d['lead']=lines_of_lead(texts,gold)
        c=comments_said(texts,gold); d['com'],d['cstart']=c if c else (np.full(n,-1,np.float16),np.full(n,-1,np.int8))
        d['role']=np.array([RI.get(r,-1) for r in align(labelled,old)] if labelled else [-1]*n,np.int8)
        d['kdr']=j.of_roles.astype(np.float16); d['kdt']=j.probabilities.astype(np.float16)
        for k,v in d.items(): acc.setdefault(k,[]).append(v[:MAXL])
        tabs.append(table); pgs.append(pw)
        meta.append(dict(corpus=name,id=page.id,site=gold.site,kind=gold.kind,url=page.url,lang=gold.language,n=min(n,MAXL),skind=j.kind,kinds={k:round(v,3) for k,v in j.kinds.items()},labelled=bool(labelled),title=head.text if head else None,texts=texts[:MAXL]))
    np.savez(OUT/f'{name}.npz',**{k:np.concatenate(v) for k,v in acc.items()},len=np.array([len(v) for v in acc['cnt']]),tab=np.concatenate(tabs),tablen=np.array([len(x) for x in tabs]),page=np.stack(pgs))
    with gzip.open(OUT/f'{name}.meta.gz','wt',compresslevel=3) as fz:
        for m in meta: fz.write(json.dumps(m,ensure_ascii=False)+'\n')
    (OUT/'columns.json').write_text(json.dumps(dict(raw=labels,roles=list(ALL_ROLES),text=list(TEXT_ROLES))))
    print(name,len(meta),'lines',sum(m['n'] for m in meta),'mismatched',mism,'cpu %.0f'%(time.process_time()-t0),flush=True)

import sys,pickle,time,gzip,json
sys.path[:0]=['BUILD','.']
import numpy as np,_core
from pathlib import Path
from benchmarks.evaluation.scores import load_corpus
from detourage.html.serialisation import serialised
from detourage.html.encoding import decode
from detourage.text.characters import character_tables
t=character_tables(); TR,LO=t.traits.tobytes(),t.lower.tobytes()
_core.load(open(sys.argv[1],'rb').read())
for name in sys.argv[2:]:
    c=load_corpus(Path('CORPORA')/name); ps=list(c.pages.values())[:120]; S=[]
    for p in ps:
        txt=decode(p.html,p.content_type).text if isinstance(p.html,bytes) else p.html
        S.append((serialised(txt.replace('\0','')),p.url or ''))
    def run(f):
        t0=time.process_time()
        for s,u in S: f(s,u,TR,LO)
        return 1000*(time.process_time()-t0)/len(S)
    a=min(run(_core.columns) for _ in range(3)); b=min(run(_core.judge) for _ in range(3)); print(name,'columns %.2f all %.2f ms'%(a,b))
    out=[]
    for (s,u),p in list(zip(S,ps))[:20]: r,co,k=_core.judge(s,u,TR,LO); out.append((p.id,np.frombuffer(r,np.float32).reshape(-1,32)[:,:25],np.frombuffer(co,np.float32).reshape(-1,16)[:,:2],np.frombuffer(k,np.float32)[:7]))
    pickle.dump(out,open(f'cpp_{name}.pkl','wb'))

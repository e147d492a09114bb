import sys,pickle
sys.path[:0]=['.']
import train as T, numpy as np
M=pickle.load(open(sys.argv[1],'rb'))
out={i:(r,c,k) for i,r,c,k in pickle.load(open(f'cpp_{sys.argv[2]}.pkl','rb'))}
ps=[p for p in T.load([sys.argv[2]],{},1500) if p['id'] in out and len(p['cnt'])<1500]
N,PT,P=4096,6144,64; q=M['q']; import jax.numpy as jnp
for p in ps: p['Z']=T.quantised(p['x'],q)
qq=dict(column=jnp.asarray(q[0]),low=jnp.asarray(q[1]),width=jnp.asarray(q[2]))
md=0;ch=0;n=0
for p in ps:
    b=T.pack([p],N,PT,P,False); b.pop('pieces'); x=np.zeros((N,p['x'].shape[1]),np.float32); x[:len(p['cnt'])]=p['x']; b['numbers']=x
    J=T.judge(M['shape'],M['params'],b,qq,None); l=np.asarray(J['roles'])[:len(p['cnt'])]; r=out[p['id']][0]
    md=max(md,np.abs(l-r).max()); ch+=(l.argmax(1)!=r.argmax(1)).sum(); n+=len(l)
print('pages',len(ps),'max diff',md,'changed',ch,'of',n)

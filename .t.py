import time,sys,os
from pathlib import Path
from reviewers.store import Store
from reviewers.batch.samples import *
p=Path("/work/tmp/samples-data/b.sqlite3"); p.unlink(missing_ok=True)
t=time.time();c=time.process_time(); s=Store.open(f"sqlite:///{p}"); print("open",time.time()-t,time.process_time()-c)
t=time.time();c=time.process_time(); x=samples(); print("unpack",time.time()-t,time.process_time()-c)
t=time.time();c=time.process_time()
for l in x.values(): import_lines(s,l)
print("lines",time.time()-t,time.process_time()-c)

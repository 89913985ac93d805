var Re="http://www.w3.org/2000/svg";function g(t,e={},...n){let r=document.createElement(t);return Z(r,e),r.append(...n),r}function b(t,e={},...n){let r=document.createElementNS(Re,t);return Z(r,e),r.append(...n),r}function Z(t,e){for(let[n,r]of Object.entries(e))r!==!1&&t.setAttribute(n,r===!0?"":String(r))}function E(t,e,n){let r=g("button",{type:"button",title:e},t);return e!==""&&r.setAttribute("aria-label",e),r.addEventListener("click",n),r}var B=240,H=96,X=["","6 3","2 3","8 3 2 3"];function W(t,e,n){return n<=e||e<2?t:Math.floor(t*(n-1)/(e-1))}function Q(t,e,n){let r=Math.max(1,...t.map(l=>l.length)),o=Math.max(...t.flat().filter(Number.isFinite).map(Math.abs),Number.MIN_VALUE),s=B/r,i=Math.min(s,168/t.length),a=t.flatMap((l,d)=>l.map((c,u)=>{let p=[W(d,t.length,e[0]),W(u,l.length,e[1])],f=Number.isFinite(c);return b("rect",{x:u*s,y:d*i,width:s,height:i,class:f?c<0?"npcg-below":"npcg-above":"npcg-fault",...f?{"fill-opacity":(Math.abs(c)/o).toFixed(3)}:{}},b("title",{},`[${p.join(", ")}]: ${c}`))}));return P(n,t.length*i,a)}function ee(t,e,n,r){let o=Math.max(1,...t),s=B/t.length,i=(n-e)/t.length,a=t.map((l,d)=>{let c=Math.max(44*l/o,.5),u=(e+d*i).toPrecision(4),p=(e+(d+1)*i).toPrecision(4);return b("rect",{class:"npcg-bar",x:d*s,y:44-c,width:s,height:c},b("title",{},`${l} from ${u} to ${p}`))});return P(r,44,a)}function K(t,e,n=0){let r=t.flatMap(d=>d.values).filter(Number.isFinite),o=Math.min(0,...r),s=Math.max(0,...r),i=(H-12)/(s-o||1),a=d=>H-6-(d-o)*i,l=[b("line",{class:"npcg-zero",x1:0,x2:B,y1:a(0),y2:a(0)})];return t.forEach(({title:d,chosen:c,values:u},p)=>{let f=B/Math.max(u.length,1),m="";u.forEach((v,h)=>{let x=(h+.5)*f;if(Number.isFinite(v)){let M=Number.isFinite(u[h-1]??NaN);m+=`${M?"L":"M"}${x.toFixed(1)},${a(v).toFixed(1)}`}let w=Number.isFinite(v)?b("circle",{cx:x,cy:a(v),r:Math.min(2.2,f/2)}):b("text",{class:"npcg-fault",x:x-3,y:H-8},"✕");w.append(b("title",{},`${d}, ${W(h,u.length,n)}: ${v}`)),l.push(w)}),l.push(b("path",{class:`npcg-series${c?" npcg-selected":""}`,d:m,"stroke-dasharray":c?"":X[p%X.length]??""}))}),P(e,H,l)}function te(t,e){let[n,r,o]=[15,200,240],s=t.map(({value:d})=>d).filter(d=>d>0&&d<1/0),i=Math.log10(Math.max(...s,Number.MIN_VALUE)),a=Math.min(Math.log10(Math.min(...s,1/0)),i-1)-.5,l=t.flatMap(({label:d,value:c,fault:u},p)=>{let f=c>0?(Math.log10(c)-a)/(i-a):0,m=Number.isFinite(f)?Math.max(0,f)*o:o,v=`${u?"✕ ":""}${Number(c.toPrecision(3))}`;return[b("text",{x:0,y:p*n+11},d.slice(0,32)),b("rect",{class:u?"npcg-fault":"npcg-bar",x:r,y:p*n+2,width:Math.max(m,1),height:n-5}),b("text",{x:r+m+5,y:p*n+11},v)]});return P(e,t.length*n,l,r+o+70)}function P(t,e,n,r=B){return b("svg",{class:"npcg-chart",viewBox:`0 0 ${r} ${Math.max(e,1)}`,width:r,height:Math.max(e,1),role:"img","aria-label":t},...n)}var Ge=["data","memory","across"];function D(t){let e=S(t);return{source:y(e.source),summary:y(e.summary),levels:k(e.levels).map(Ne)}}function Ne(t){let e=S(t),n=new Set([""]),r=[];for(let i of k(e.groups).map(Te))i.id!==""&&!n.has(i.id)&&n.has(i.parent)&&(n.add(i.id),r.push(i));let o=k(e.boxes).map(Oe).filter(i=>n.has(i.group)),s=new Set(o.map(i=>i.id));return{key:y(e.key),title:y(e.title),groups:r,boxes:o,arrows:k(e.arrows).flatMap(i=>{let[a,l,d]=k(i);return s.has(y(a))&&s.has(y(l))?[{tail:y(a),head:y(l),kind:Ge[I(d)]??"data"}]:[]})}}function Te(t){let e=S(t);return{id:y(e.id),parent:y(e.parent),kind:y(e.kind),title:y(e.title),detail:y(e.detail),hint:y(e.hint),line:I(e.line),end:I(e.end),at:I(e.at)}}function Oe(t){let e=S(t);return{id:y(e.id),kind:y(e.kind),title:y(e.title),detail:y(e.detail),text:y(e.text),line:I(e.line),dtype:y(e.dtype),shape:y(e.shape),bytes:I(e.bytes),group:y(e.group),at:I(e.at)}}function S(t){return typeof t=="object"&&t!==null?t:{}}function k(t){return Array.isArray(t)?t:[]}function y(t){return typeof t=="string"?t:""}function I(t){return typeof t=="number"&&Number.isFinite(t)?t:0}function re(t){let e=S(t),n=k(e.nodes).map(o=>{let s=S(o),i=s.finite_value===!1,a=s.finite_gradient===!1;return{op:y(s.op),line:I(S(s.position).line),norm:N(s.norm),value:i,fault:i||a}}),r=n.find(o=>o.value)??[...n].reverse().find(o=>o.fault);return{variables:k(e.variables).map(Ve),nodes:n,notes:k(e.notes).map(o=>{let[s,i]=k(o);return`Line ${I(S(s).line)}: ${y(i)}`}),check:y(e.check),first:r===void 0?"":`✕ NaN or infinity first in the ${r.value?"result":"gradient"} of ${r.op}, line ${r.line}`}}function oe(t){return k(t).map(e=>new Map(Object.entries(S(e)).map(([n,r])=>[n,N(r)])))}function Ve(t){let e=S(t),n=y(e.output),r=y(e.name);return{key:`${n}/${r}`,name:r,title:`d ${n} / d ${r}`,value:ne(e.value),gradient:ne(e.gradient)}}function ne(t){let e=S(t);return{dtype:y(e.dtype),shape:k(e.shape).map(I),rows:k(e.rows).map(n=>k(n).map(N)),low:N(e.low),high:N(e.high),norm:N(e.norm),zeros:I(e.zeros),nonfinite:I(e.nonfinite),histogram:k(e.histogram).map(I)}}function N(t){return t==="inf"?1/0:t==="-inf"?-1/0:typeof t=="number"?t:NaN}function T(t,e,n){for(let r of e)t.on(`change:${r}`,n);return()=>{for(let r of e)t.off(`change:${r}`,n)}}var Be=60,se=({model:t,el:e})=>{let n=g("div",{class:"npcg",role:"group","aria-label":"Gradients"}),r=!1,o=()=>{let i=re(t.get("gradients")),a=E("Table","",()=>{r=!r,o()});a.setAttribute("aria-pressed",String(r)),n.replaceChildren(g("div",{class:"npcg-toolbar"},ze(i.check),g("span",{class:"npcg-space"}),a),g("div",{class:"npcg-stage npcg-cards",tabindex:0},...r?[_e(i)]:Ce(i,t)))},s=T(t,["gradients","history","selected"],o);return e.append(n),o(),()=>{s(),n.remove()}};function ze(t){let e=t.startsWith("agrees");return g("span",{class:`npcg-badge${e?" npcg-agrees":""}`},`${e?"✓":"○"} Check against NumPy: ${t}`)}function Ce(t,e){let n=y(e.get("selected")),o=[...t.variables.map(i=>{let a=g("section",{class:`npcg-card${i.key===n?" npcg-chosen":""}`,"aria-label":i.title}),l=E(i.title,"",()=>{e.set("selected",i.key),e.save_changes()});return l.setAttribute("aria-pressed",String(i.key===n)),a.append(l,g("span",{class:"npcg-quiet"},` ${ae(i.value)}`),g("div",{class:"npcg-pair"},ie("Value",i,i.value),ie("Gradient",i,i.gradient))),a})],s=oe(e.get("history"));if(s.length>1&&t.variables.length>0){let i=t.variables.map(({key:a,title:l})=>({title:l,chosen:a===n,values:s.map(d=>d.get(a)??NaN)}));o.push(g("section",{class:"npcg-card","aria-label":"History"},g("b",{},`Norm of each gradient over ${s.length} runs`),K(i,"Norms over the runs")))}if(t.nodes.length>0){let i=t.nodes.slice(-Be);o.push(g("section",{class:"npcg-card","aria-label":"Along the lines"},g("b",{},"Norm of the gradient along the lines"),g("span",{class:"npcg-quiet"},` ${t.first}`),te(i.map(a=>({label:`${a.line>0?`${a.line}  `:""}${a.op}`,value:a.norm,fault:a.fault})),"Norm of the gradient at each operation")))}for(let i of t.notes)o.push(g("p",{},i));return o.length===0&&o.push(g("p",{},"No gradients.")),o}function ie(t,e,n){let r=`${t} of ${e.name}`,o=n.shape.length===0?g("div",{class:"npcg-single"},G(n.rows[0]?.[0]??NaN)):n.rows.length===1?K([{title:r,chosen:!0,values:n.rows[0]??[]}],r,n.shape.at(-1)):Q(n.rows,He(n.shape),r),s=n.histogram;return g("figure",{},g("figcaption",{},t),o,g("div",{class:"npcg-quiet"},Pe(n)),...s.length>0?[ee(s,n.low,n.high,`Histogram of ${r}`)]:[])}function He(t){return[t.slice(0,-1).reduce((n,r)=>n*r,1),t.at(-1)??1]}function ae({dtype:t,shape:e}){return`${t}${e.length>0?`[${e.join(", ")}]`:""}`}function Pe(t){let e=[`norm ${G(t.norm)}`];return t.shape.length>0&&e.push(`${G(t.low)} to ${G(t.high)}`),t.zeros>0&&e.push(`${Math.round(t.zeros*100)} % zero`),t.nonfinite>0&&e.push(`✕ ${t.nonfinite} NaN or infinite`),e.join(" · ")}function _e(t){return g("div",{class:"npcg-table"},g("table",{},g("thead",{},g("tr",{},...["Gradient","dtype","Norm","Lowest","Highest","Zero","Not finite"].map(n=>g("th",{scope:"col"},n)))),g("tbody",{},...t.variables.map(({title:n,gradient:r})=>g("tr",{},...[n,ae(r),G(r.norm),G(r.low),G(r.high),`${Math.round(r.zeros*100)} %`,String(r.nonfinite)].map(o=>g("td",{},o)))))))}function G(t){return Number.isFinite(t)?Number(t.toPrecision(4)).toString():String(t)}var je=12;function ce(t,e,n){let r=t.boxes.get(e),o=t.groups.get(e),s=[],i;if(r!==void 0){let a=t.data.arrows.filter(d=>d.head===e),l=t.data.arrows.filter(d=>d.tail===e);i=r.text,s.push(["Line",r.line>0?String(r.line):"–"],["dtype",r.dtype||"–"],["Shape",r.shape||"–"],["Memory",r.bytes>0?Fe(r.bytes):"–"],["Reads",le(t,a.map(d=>d.tail),n)],["Read by",le(t,l.map(d=>d.head),n)])}else if(o?.kind==="break")i=`✕ Break point: ${o.title}`,s.push(["Line",String(o.line)],["Hint",o.hint||"–"]);else return null;return[g("code",{},i),g("dl",{},...s.map(([a,l])=>g("div",{},g("dt",{},a),g("dd",{},l))))]}function le(t,e,n){if(e.length===0)return"–";let r=e.slice(0,je).map(s=>E(t.boxes.get(s)?.title??s,"",()=>{n(s)})),o=e.length-r.length;return g("span",{},...r,o>0?` and ${o} more`:"")}function Fe(t){let e=["B","kB","MB","GB","TB"],n=0,r=t;for(;r>=1e3&&n<e.length-1;)r/=1e3,n+=1;return`${n===0||r>=100?r.toFixed(0):r.toPrecision(3)} ${e[n]??""}`}var de=5;function pe(t,e,n){let{width:r,height:o}=e,s=new Map(t.items.map((i,a)=>[i.id,a+1]));return b("svg",{class:"npcg-svg",viewBox:`0 0 ${Math.ceil(r)} ${Math.ceil(o)}`,role:"tree","aria-label":n},b("g",{role:"presentation"},...e.frames.map(({frame:i,place:a})=>We(i,a))),b("g",{role:"presentation"},...e.routes.map(qe)),b("g",{role:"presentation"},...t.items.map(i=>Ke(i,e.boxes.get(i.id),s.get(i.id)??0))))}function We(t,e){let{group:n,depth:r}=t,{x:o,y:s,width:i,height:a}=e,l=n.line>0?`line ${n.line}`:"";return b("g",{class:`npcg-frame npcg-${n.kind}`,"data-id":n.id,"data-line":n.line,role:"treeitem","aria-level":r+1,"aria-expanded":"true","aria-selected":"false",tabindex:-1},b("title",{},[n.kind,l,n.title,n.detail].filter(d=>d!=="").join(", ")),b("rect",{x:o,y:s,width:i,height:a,rx:6}),b("text",{x:o+10,y:s+16},b("tspan",{class:"npcg-fold"},"▾ "),...n.line>0?[b("tspan",{class:"npcg-number"},`${n.line}  `)]:[],b("tspan",{class:"npcg-heading"},n.title),b("tspan",{class:"npcg-quiet"},`   ${n.detail}`)))}function Ke(t,e,n){let{x:r,y:o,width:s,height:i}=e??{x:0,y:0,width:0,height:0},a=r+s/2,l=t.kind==="break"?t.group?.hint??"":"",d=t.kind==="break"?l&&`→ ${l}`:t.detail,c=t.group!==null&&t.kind!=="break",u=t.kind==="input"||t.kind==="output";return b("g",{class:`npcg-item npcg-${t.kind}${c?" npcg-closed":""}`,"data-id":t.id,"data-line":t.line,role:"treeitem","aria-level":t.depth+1,"aria-posinset":n,"aria-selected":"false",...c?{"aria-expanded":"false"}:{},tabindex:-1},b("title",{},De(t)),b("rect",{x:r,y:o,width:s,height:i,rx:u?i/2:4}),b("text",{x:a,y:o+(d?i/2-2:i/2+4)},...c?[b("tspan",{class:"npcg-fold"},"▸ ")]:[],...c&&t.line>0?[b("tspan",{class:"npcg-number"},`${t.line}  `)]:[],t.kind==="break"?`✕ ${t.title}`:t.title),...d?[b("text",{class:"npcg-quiet",x:a,y:o+i/2+12},d)]:[])}function De(t){let e=t.line>0?`line ${t.line}: `:"";if(t.kind==="break"){let n=t.group?.hint??"";return`Break point, ${e}${t.title}${n&&` → ${n}`}`}return t.box!==null?`${e}${t.box.text}`:`${t.kind}, ${e}${t.title}, ${t.detail}`}function qe(t){let[e,...n]=t.points;if(e===void 0||n.length===0)return b("path");let[r,o]=e,i=(n.at(-1)??e)[1]>=o?1:-1,a=`M${R(r)},${R(o)}`;return n.forEach(([l,d],c)=>{let u=c===n.length-1?d-i*de:d,p=(u-o)/2;a+=`C${R(r)},${R(o+p)} ${R(l)},${R(u-p)} ${R(l)},${R(u)}`,[r,o]=[l,u]}),a+=`m-2.4,0h4.8l-2.4,${i*de}z`,b("path",{class:`npcg-arrow npcg-${t.kind}`,"data-tail":t.tail,"data-head":t.head,d:a})}function R(t){return t.toFixed(1)}var Ue=["fill","fill-opacity","stroke","stroke-width","stroke-dasharray","font-family","font-size","font-weight","text-anchor","opacity"];function q(t){let e=t.cloneNode(!0),n=[t,...t.querySelectorAll("*")],r=[e,...e.querySelectorAll("*")];n.forEach((i,a)=>{let l=getComputedStyle(i),d=r[a];for(let c of Ue)d?.setAttribute(c,l.getPropertyValue(c));d?.removeAttribute("tabindex"),d?.removeAttribute("style")});let{width:o,height:s}=t.viewBox.baseVal;return e.setAttribute("width",String(o)),e.setAttribute("height",String(s)),e.setAttribute("role","img"),new XMLSerializer().serializeToString(e)}async function ge(t){let e=new Image,n=`data:image/svg+xml;charset=utf-8,${encodeURIComponent(q(t))}`;await new Promise((a,l)=>{e.onload=()=>{a()},e.onerror=()=>{l(new Error("the drawing is too large for a picture"))},e.src=n});let r=document.createElement("canvas"),o=Math.min(2,16e3/Math.max(e.width,e.height));r.width=e.width*o,r.height=e.height*o;let s=r.getContext("2d"),i=getComputedStyle(t).getPropertyValue("--npcg-back").trim();if(s===null)throw new Error("this browser draws no pictures");return s.fillStyle=i===""?"#fff":i,s.fillRect(0,0,r.width,r.height),s.drawImage(e,0,0,r.width,r.height),new Promise((a,l)=>{r.toBlob(d=>{d===null?l(new Error("the drawing is too large for a picture")):a(d)})})}function ue(t){let e=["digraph captured {","  node [shape=box, fontname=Courier]"],n=1,r=o=>{e.push("  ".repeat(n)+o)};for(let o of t.steps)if(o.kind==="open")r(`subgraph ${O(`cluster ${o.frame.group.id}`)} {`),n+=1,r(`label=${O(o.frame.group.title)}`);else if(o.kind==="close")n-=1,r("}");else{let{id:s,title:i,detail:a}=o.item;r(`${O(s)} [label=${O(a===""?i:`${i}
${a}`)}]`)}for(let{tail:o,head:s,kind:i}of t.arrows){let a=i==="data"?"":" [style=dashed]";e.push(`  ${O(o)} -> ${O(s)}${a}`)}return[...e,"}",""].join(`
`)}function O(t){return`"${t.replaceAll("\\","\\\\").replaceAll('"','\\"').replaceAll(`
`,"\\n")}"`}function he(t){return JSON.stringify(t,null,1)}function z(t,e){let n=typeof e=="string"?new Blob([e]):e,r=URL.createObjectURL(n),o=document.createElement("a");o.href=r,o.download=t,o.click(),setTimeout(()=>{URL.revokeObjectURL(r)},1e3)}var Je={ArrowDown:t=>{U(t,1)},ArrowUp:t=>{U(t,-1)},Home:t=>{C(t,t.reading()[0])},End:t=>{C(t,t.reading().at(-1))},ArrowRight:t=>{let e=t.here();t.isGroup(e)&&!t.isOpen(e)?t.toggle(e):t.isOpen(e)?U(t,1):C(t,t.reader(e))},ArrowLeft:t=>{let e=t.here();t.isOpen(e)?t.toggle(e):C(t,t.parent(e))},Enter:fe," ":fe,Escape:t=>{t.select("")},"+":t=>{t.zoomBy(1.25)},"=":t=>{t.zoomBy(1.25)},"-":t=>{t.zoomBy(.8)},0:t=>{t.fit()},"/":t=>{t.search()}};function me(t,e){let n=Je[t.key];return n===void 0||t.ctrlKey||t.metaKey||t.altKey?!1:(n(e),!0)}function U(t,e){let n=t.reading(),r=n.indexOf(t.here())+e;C(t,n[Math.max(0,Math.min(n.length-1,r))])}function C(t,e){e!==void 0&&t.go(e)}function fe(t){let e=t.here();t.isGroup(e)?t.toggle(e):t.select(e)}function ve(t){let e=new Map;for(let c of t.items)e.set(c.id,xe(c));let{rows:n,rowOf:r,bands:o}=Ye(t),s=Ze(t.arrows,n,r,e),i=new Map,a=new Map;for(let c of new Set([...s.values()].flatMap(Xe))){let[u,p]=c.split(`
`);J(a,u,p),J(i,p,u)}let l=n.map(c=>c.members);Qe(l,i,a);let d=et(l,i,a,e);return nt(t,n,o,d,e,s)}function xe(t){let e=t.line>0&&t.group!==null?6:0,n=t.kind==="break"?[`✕  ${t.title}`]:[t.title],r=Math.max(...n.map(_))+e,o=_(t.kind==="break"?`→ ${t.group?.hint??""}`:t.detail),s=Math.max(r*6.9,o*5.7,26),i=t.kind==="break"?t.group?.hint!=="":t.detail;return[s+24,i?38:26]}function _(t){let e=0;for(let n of t)e+=/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(n)?2:1;return e}function Ye(t){let e=new Map;for(let{tail:p,head:f}of t.arrows)J(e,f,p);let n=[],r=new Map,o=[],s=[],i=8,a=[],l=(p,f)=>{let m=Math.max(...f);for(let v of p)r.set(v,n.length);n.push({members:p,y:i+m/2,height:m}),i+=m+26},d=()=>{let p=new Map,f=[];for(let m of a){let v=Math.max(0,...(e.get(m)??[]).map(h=>(p.get(h)??-1)+1));p.set(m,v),(f[v]??=[]).push(m)}for(let m of f)for(let v=0;v<m.length;v+=10){let h=m.slice(v,v+10);l(h,h.map(x=>c.get(x)??26))}a=[]},c=new Map(t.items.map(p=>[p.id,xe(p)[1]])),u="";for(let p of t.steps){if(p.kind==="item"&&p.item.group===null){let f=p.item.kind==="input"||p.item.kind==="output"?p.item.kind:"operation";a.length>0&&f!==u&&d(),u=f,a.push(p.item.id);continue}if(d(),p.kind==="item")l([p.item.id],[c.get(p.item.id)??26]);else if(p.kind==="open"){let f={frame:p.frame,first:n.length,last:n.length};s.push(f),o.push(f),i+=24}else{let f=s.pop();f!==void 0&&(f.last=n.length-1),i+=8}}return d(),{rows:n,rowOf:r,bands:o}}function Ze(t,e,n,r){let o=4e3,s=new Map,i=t.map(({tail:a,head:l})=>{let d=n.get(a)??0,c=n.get(l)??0;return{tail:a,head:l,from:d,to:c}}).sort((a,l)=>Math.abs(a.to-a.from)-Math.abs(l.to-l.from));for(let{tail:a,head:l,from:d,to:c}of i){let[u,p]=d<=c?[a,l]:[l,a],f=[];for(let m=Math.min(d,c)+1;m<Math.max(d,c);m+=1){let v=`${u}|${m}`;if(!r.has(v)){if(o<=0){f.length=0;break}o-=1,r.set(v,[2,0]),e[m]?.members.push(v)}f.push(v)}s.set(`${a}
${l}`,[u,...f,p])}return s}function Xe(t){return t.slice(1).map((e,n)=>`${t[n]??""}
${e}`)}function Qe(t,e,n){let r=(o,s,i)=>{let a=be(s),l=be(o),d=new Map(o.map(c=>{let u=(i.get(c)??[]).flatMap(m=>a.get(m)??[]),p=u.reduce((m,v)=>m+v,0),f=u.length>0?p/u.length:l.get(c);return[c,f??0]}));o.sort((c,u)=>(d.get(c)??0)-(d.get(u)??0))};for(let o=0;o<4;o+=1){for(let s=1;s<t.length;s+=1)r(t[s]??[],t[s-1]??[],e);for(let s=t.length-2;s>=0;s-=1)r(t[s]??[],t[s+1]??[],n)}}function be(t){let e=Math.max(t.length-1,1);return new Map(t.map((n,r)=>[n,r/e]))}function et(t,e,n,r){let o=new Map,s=c=>r.get(c)?.[0]??0,i=t.map(c=>{let u=[],p=0;return c.forEach((f,m)=>{m>0&&(p+=(s(c[m-1]??"")+s(f))/2+18),u.push(p)}),u});t.forEach((c,u)=>{let p=i[u]??[],f=(p.at(-1)??0)/2;c.forEach((m,v)=>o.set(m,(p[v]??0)-f))});let a=(c,u)=>{let p=t[c]??[],f=i[c]??[],m=[],v=[];p.forEach((h,x)=>{let w=u(h),M=w.reduce((L,A)=>L+(o.get(A)??0),0),$=w.length>0?M/w.length:o.get(h)??0;m.push($-(f[x]??0)),v.push((w.length||.1)*(s(h)<24?4:1))}),tt(m,v).forEach((h,x)=>o.set(p[x]??"",h+(f[x]??0)))},l=c=>e.get(c)??[],d=c=>n.get(c)??[];for(let c=0;c<4;c+=1){for(let u=0;u<t.length;u+=1)a(u,l);for(let u=t.length-1;u>=0;u-=1)a(u,d);for(let u=0;u<t.length;u+=1)a(u,p=>[...l(p),...d(p)])}return o}function tt(t,e){let n=[];return t.forEach((r,o)=>{let s=r,i=e[o]??1,a=1;for(let l=n.at(-1);l!==void 0&&l[0]>s;l=n.at(-1))s=(s*i+l[0]*l[1])/(i+l[1]),i+=l[1],a+=l[2],n.pop();n.push([s,i,a])}),n.flatMap(([r,,o])=>Array(o).fill(r))}function nt(t,e,n,r,o,s){let i=Math.max(0,...n.map(h=>h.frame.depth+1)),a=0,l=0;for(let[h,x]of r){let w=(o.get(h)?.[0]??0)/2;a=Math.min(a,x-w),l=Math.max(l,x+w)}for(let{frame:h}of n){let{title:x,detail:w}=h.group,M=(_(x)+_(w)+10)*6.6;l=Math.max(l,a+M)}let d=8+i*12,c=d-a,u=l-a+2*d,p=new Map;for(let h of e)for(let x of h.members)p.set(x,h.y);let f=new Map;for(let h of t.items){let[x,w]=o.get(h.id)??[0,0];f.set(h.id,{x:(r.get(h.id)??0)+c-x/2,y:(p.get(h.id)??0)-w/2,width:x,height:w})}let m=n.flatMap(h=>{let x=e[h.first],w=e[h.last];if(x===void 0||w===void 0||h.last<h.first)return[];let M=ye(n,h,"first"),$=ye(n,h,"last"),L=x.y-x.height/2-24*(1+M)-2,A=w.y+w.height/2+8*(1+$),V=8+h.frame.depth*12;return[{frame:h.frame,place:{x:V,y:L,width:u-2*V,height:A-L}}]}),v=Math.max(8,...m.map(({place:h})=>h.y+h.height),...[...f.values()].map(h=>h.y+h.height));return{width:u,height:v+8,boxes:f,frames:m,routes:t.arrows.map(({tail:h,head:x,kind:w})=>{let M=s.get(`${h}
${x}`)??[h,x],$=f.get(M[0]??""),L=f.get(M.at(-1)??""),A=M.slice(1,-1).map(V=>[(r.get(V)??0)+c,p.get(V)??0]);return $!==void 0&&L!==void 0&&(A.unshift([$.x+$.width/2,$.y+$.height]),A.push([L.x+L.width/2,L.y])),{tail:h,head:x,kind:w,points:M[0]===h?A:A.reverse()}})}}function ye(t,e,n){let r=t.filter(o=>o[n]===e[n]&&o.frame.depth>e.frame.depth&&o.first>=e.first&&o.last<=e.last).map(o=>o.frame.depth-e.frame.depth);return Math.max(0,...r)}function J(t,e,n){let r=t.get(e);r===void 0?t.set(e,[n]):r.push(n)}var we="npcompile:line-of-node",ke="npcompile:line-of-editor";function Ie(t,e){window.dispatchEvent(new CustomEvent(t,{detail:e}))}function Me(t,e){let n=r=>{e(r.detail)};return window.addEventListener(t,n),()=>{window.removeEventListener(t,n)}}function Ee(t,e){let n=e.trim().toLowerCase();if(n==="")return[];let r=t.data.groups.filter(o=>o.kind==="break");return[...t.data.boxes,...r].filter(o=>{let s="text"in o?o.text:o.hint;return`${o.title}
${s}`.toLowerCase().includes(n)}).sort((o,s)=>o.at-s.at).map(o=>o.id)}var Se=.05,rt=4,j=class{node=g("div",{class:"npcg-stage"});dragged=!1;get drawing(){return this.drawn}draw(e){let{scrollLeft:n,scrollTop:r}=this.node;this.drawn=e,this.node.replaceChildren(e),e.addEventListener("wheel",this.onWheel,{passive:!1}),e.addEventListener("pointerdown",o=>{this.onPress(o)}),this.zoom(this.scale),this.node.scrollTo(n,r)}put(e){this.drawn=null,this.node.replaceChildren(e)}all(e){return[...this.node.querySelectorAll(e)]}element(e){return this.node.querySelector(`[data-id="${CSS.escape(e)}"]`)}reach(e){for(let n of this.all('[data-id][tabindex="0"]'))n.setAttribute("tabindex","-1");e.setAttribute("tabindex","0")}zoomBy(e){let{clientWidth:n,clientHeight:r}=this.node,[o,s]=[n/2,r/2],i=this.scale,a=this.node.scrollLeft+o,l=this.node.scrollTop+s;this.zoom(Math.max(Se,Math.min(rt,this.scale*e)));let d=this.scale/i;this.node.scrollTo(a*d-o,l*d-s)}fit(){let e=this.drawn?.viewBox.baseVal.width??0;e>0&&this.node.clientWidth>0&&this.zoom(Math.max(Se,Math.min(1,this.node.clientWidth/e)))}zoom(e){if(this.scale=e,this.drawn!==null){let{width:n,height:r}=this.drawn.viewBox.baseVal;this.drawn.style.width=`${n*e}px`,this.drawn.style.height=`${r*e}px`}}onWheel=e=>{(e.ctrlKey||e.metaKey)&&(e.preventDefault(),this.zoomBy(Math.exp(-e.deltaY/300)))};onPress(e){if(this.dragged=!1,e.button!==0||e.pointerType==="touch")return;let{clientX:n,clientY:r}=e,{scrollLeft:o,scrollTop:s}=this.node,i=l=>{let[d,c]=[l.clientX-n,l.clientY-r];this.dragged||=Math.hypot(d,c)>4,this.dragged&&this.node.scrollTo(o-d,s-c)},a=()=>{window.removeEventListener("pointermove",i),window.removeEventListener("pointerup",a)};window.addEventListener("pointermove",i),window.addEventListener("pointerup",a)}drawn=null;scale=1};var ot=2e3,it=["Line","What","Operation","dtype","Shape","Bytes"];function $e(t,e){let n=t.data.groups.filter(i=>i.kind==="break"),r=[...t.data.boxes,...n].sort((i,a)=>i.at-a.at),o=r.slice(0,ot).map(i=>{let a=g("tr",{"data-id":i.id,class:`npcg-${i.kind}`}),l="text"in i?[i.kind,i.text,i.dtype,i.shape,i.bytes>0?String(i.bytes):""]:["break point",i.hint===""?i.title:`${i.title} → ${i.hint}`,"","",""];return a.append(g("td",{},i.line>0?String(i.line):""),...l.map(d=>g("td",{},d))),a.addEventListener("click",()=>{e(i.id)}),a}),s=r.length-o.length;return g("div",{class:"npcg-table",tabindex:0,role:"region","aria-label":"Table"},g("table",{},g("thead",{},g("tr",{},...it.map(i=>g("th",{scope:"col"},i)))),g("tbody",{},...o)),...s>0?[g("p",{},`… ${s} more: export JSON`)]:[])}var F=class{constructor(e){this.data=e;this.boxes=new Map(e.boxes.map(r=>[r.id,r])),this.groups=new Map(e.groups.map(r=>[r.id,r]));let n=[...e.groups,...e.boxes];for(let r of n.sort((o,s)=>o.at-s.at)){let o="parent"in r?r.parent:r.group,s=this.children.get(o);s===void 0?this.children.set(o,[r]):s.push(r)}}data;boxes;groups;around(e){let n=[],r=this.boxes.get(e)?.group??this.groups.get(e)?.parent??"";for(;r!=="";)n.push(r),r=this.groups.get(r)?.parent??"";return n}view(e){let n=[],r=[],o=new Map,s=l=>{r.push(l),n.push({kind:"item",item:l})},i=(l,d)=>{for(let c of this.children.get(l)??[])"parent"in c?i(c.id,d):o.set(c.id,d)},a=(l,d)=>{for(let c of this.children.get(l)??[]){let u={depth:d,parent:l,line:c.line,title:c.title};if("parent"in c)if(c.kind!=="break"&&e.has(c.id)){let p={group:c,depth:d};n.push({kind:"open",frame:p}),a(c.id,d+1),n.push({kind:"close",frame:p})}else{let{id:p,kind:f,detail:m}=c;s({...u,id:p,kind:f,detail:m,group:c,box:null}),i(p,p)}else{o.set(c.id,c.id);let{id:p,kind:f,detail:m}=c;s({...u,id:p,kind:f,detail:m,group:null,box:c})}}};return a("",0),{steps:n,items:r,arrows:st(this.data.arrows,o)}}children=new Map};function st(t,e){let n=new Map,r={data:0,across:1,memory:2};for(let o of t){let s=e.get(o.tail),i=e.get(o.head);if(s===void 0||i===void 0||s===i)continue;let a=`${s}
${i}`,l=n.get(a);(l===void 0||r[o.kind]<r[l.kind])&&n.set(a,{tail:s,head:i,kind:o.kind})}return[...n.values()]}var at=1500,Le=({model:t,el:e})=>{let n=performance.now(),r=new Y(t,e);return performance.measure("npcompile:graph",{start:n}),()=>{r.end()}},Y=class{constructor(e,n){this.model=e;this.outline=D(e.get("graph")),this.detail=g("div",{class:"npcg-detail","aria-live":"polite"}),this.tabs=g("div",{role:"tablist","aria-label":"Level"}),this.root=g("div",{class:"npcg",role:"group","aria-label":"Captured graph"},this.toolbar(),this.stage.node,this.detail),n.append(this.root),this.ends=[T(e,["graph"],()=>{this.outline=D(e.get("graph")),this.levels.clear(),this.show()}),T(e,["level","expanded"],()=>{this.show()}),T(e,["selected"],()=>{this.mark()}),Me(ke,({source:r,line:o})=>{r===this.outline.source&&this.light(o)})],this.show(),requestAnimationFrame(()=>{this.stage.fit()})}model;end(){for(let e of this.ends)e();this.root.remove()}toolbar(){this.search.addEventListener("input",()=>{this.found=0,this.find(0)}),this.search.addEventListener("keydown",n=>{n.key==="Enter"&&this.find(n.shiftKey?-1:1)});let e=g("select",{"aria-label":"Export",title:"Export"},g("option",{value:""},"Export"),...["SVG","PNG","DOT","JSON"].map(n=>g("option",{value:n},n)));return e.addEventListener("change",()=>{this.take(e.value),e.value=""}),this.asTable.addEventListener("click",()=>{this.isTable=!this.isTable,this.asTable.setAttribute("aria-pressed",String(this.isTable)),this.show()}),g("div",{class:"npcg-toolbar"},this.tabs,this.search,this.count,g("span",{class:"npcg-space"}),E("Open all","Open all groups",()=>{this.openAll()}),E("Close all","Close all groups",()=>{this.setOpen([])}),E("−","Zoom out",()=>{this.stage.zoomBy(1/1.25)}),E("+","Zoom in",()=>{this.stage.zoomBy(1.25)}),E("Fit","Fit the width",()=>{this.stage.fit()}),this.asTable,e)}level(){let e=y(this.model.get("level")),n=this.outline.levels.find(o=>o.key===e)??this.outline.levels[0];if(n===void 0)return null;let r=this.levels.get(n.key)??new F(n);return this.levels.set(n.key,r),r}open(){return new Set(k(this.model.get("expanded")).map(y))}show(){let e=this.level();if(this.tabs.replaceChildren(...this.outline.levels.map(({key:i,title:a})=>{let l=E(a,"",()=>{this.model.set("level",i),this.model.save_changes()}),d=i===e?.data.key;return l.setAttribute("role","tab"),l.setAttribute("aria-selected",String(d)),l})),e===null){this.stage.put(g("p",{},"Nothing was captured."));return}if(this.isTable){this.stage.put($e(e,i=>{this.select(i)})),this.mark();return}let n=this.stage.node.contains(document.activeElement);this.view=e.view(this.open());let r=ve(this.view),o=`Captured graph, ${e.data.title} level, ${e.data.boxes.length} operations, inputs and outputs`,s=pe(this.view,r,o);this.listen(s),this.stage.draw(s),this.mark(),n&&this.focusOn(this.current)}listen(e){e.addEventListener("click",n=>{let r=n.target.closest("[data-id]");if(r===null||this.stage.dragged)return;let o=r.getAttribute("data-id")??"";this.current=o;let s=n.target.closest("text")!==null;(r.classList.contains("npcg-frame")?s:this.isGroup(o))?this.toggle(o):r.classList.contains("npcg-frame")||this.select(o)}),e.addEventListener("keydown",n=>{me(n,this.walker)&&(n.preventDefault(),n.stopPropagation())}),e.addEventListener("mouseover",n=>{let r=n.target.closest("[data-line]");this.tell(Number(r?.getAttribute("data-line")??0))}),e.addEventListener("mouseleave",()=>{this.tell(0)}),e.addEventListener("focusin",n=>{let r=n.target.closest("[data-line]");this.tell(Number(r?.getAttribute("data-line")??0))})}isGroup(e){let n=this.level()?.groups.get(e);return n!==void 0&&n.kind!=="break"}toggle(e){let n=this.open();n.delete(e)||n.add(e),this.current=e,this.setOpen([...n])}setOpen(e){this.model.set("expanded",[...e]),this.model.save_changes()}openAll(){let e=this.level();if(e===null)return;let n=new Set;for(let r of e.data.groups)if(e.around(r.id).every(o=>n.has(o))&&(n.add(r.id),e.view(n).items.length>at)){n.delete(r.id);break}this.setOpen([...n])}select(e){this.current=e,this.model.set("selected",e),this.model.save_changes()}find(e){let n=this.level(),r=n===null?[]:Ee(n,this.search.value);if(n===null||r.length===0){let s=this.search.value.trim()!=="";this.count.textContent=s?"not found":"";return}this.found=(this.found+e+r.length)%r.length,this.count.textContent=`${this.found+1} of ${r.length}`;let o=r[this.found]??"";this.setOpen([...new Set([...this.open(),...n.around(o)])]),this.select(o),this.stage.element(o)?.scrollIntoView({block:"nearest"})}take(e){let n=this.level();if(n===null||e==="")return;let r=`graph-${n.data.key}.${e.toLowerCase()}`;e==="JSON"?z(r,he(n.data)):e==="DOT"?z(r,ue(n.view(this.open()))):this.stage.drawing===null?this.count.textContent="leave the table to export a picture":e==="SVG"?z(r,q(this.stage.drawing)):ge(this.stage.drawing).then(o=>{z(r,o)},o=>{this.count.textContent=String(o)})}focusOn(e){this.current=e;let n=this.stage.element(e);n instanceof SVGElement&&(this.stage.reach(n),n.focus(),n.scrollIntoView({block:"nearest",inline:"nearest"}))}mark(){let e=y(this.model.get("selected"));for(let r of this.stage.all(".npcg-selected"))r.classList.remove("npcg-selected"),r.hasAttribute("role")&&r.setAttribute("aria-selected","false");let n=e===""?null:this.stage.element(e);n?.classList.add("npcg-selected"),n?.hasAttribute("role")&&n.setAttribute("aria-selected","true");for(let r of this.stage.all(".npcg-arrow")){let o=[r.getAttribute("data-tail"),r.getAttribute("data-head")];r.classList.toggle("npcg-selected",e!==""&&o.includes(e))}if(this.stage.drawing!==null){let r=n??this.stage.drawing.querySelector("[data-id]");r!==null&&(this.stage.reach(r),this.current||=r.getAttribute("data-id")??"")}this.describe(e)}describe(e){let n=this.level(),r=n===null?null:ce(n,e,o=>{this.setOpen([...new Set([...this.open(),...n.around(o)])]),this.select(o),this.stage.element(o)?.scrollIntoView({block:"nearest"})});this.detail.replaceChildren(...r??[g("span",{class:"npcg-quiet"},this.outline.summary)])}tell(e){e!==this.told&&(this.told=e,Ie(we,{source:this.outline.source,line:e}))}light(e){for(let n of this.stage.all("[data-line]"))n.classList.toggle("npcg-lit",e>0&&n.getAttribute("data-line")===String(e))}walker={here:()=>this.current,reading:()=>(this.view?.steps??[]).flatMap(e=>e.kind==="open"?[e.frame.group.id]:e.kind==="item"?[e.item.id]:[]),reader:e=>this.view?.arrows.find(n=>n.tail===e)?.head,parent:e=>this.level()?.around(e)[0],isOpen:e=>this.open().has(e),isGroup:e=>this.isGroup(e),go:e=>{this.focusOn(e)},toggle:e=>{this.toggle(e)},select:e=>{this.select(e)},zoomBy:e=>{this.stage.zoomBy(e)},fit:()=>{this.stage.fit()},search:()=>{this.search.focus()}};outline;levels=new Map;root;stage=new j;detail;tabs;ends;search=g("input",{type:"search",placeholder:"Search","aria-label":"Search operations"});count=g("span",{class:"npcg-count","aria-live":"polite"});asTable=g("button",{type:"button","aria-pressed":"false"},"Table");view=null;current="";found=0;told=0;isTable=!1};var Ae=`.npcg {
  --npcg-text: var(--jp-content-font-color1, CanvasText);
  --npcg-back: var(--jp-layout-color0, Canvas);
  --npcg-quiet: color-mix(in srgb, var(--npcg-text) 72%, var(--npcg-back));
  --npcg-rule: color-mix(in srgb, var(--npcg-text) 22%, var(--npcg-back));
  --npcg-tint: color-mix(in srgb, var(--npcg-text) 4%, transparent);
  --npcg-edge: color-mix(in srgb, var(--npcg-text) 48%, var(--npcg-back));
  --npcg-good: color-mix(in srgb, var(--npcg-text) 22%, #12a150);
  --npcg-part: color-mix(in srgb, var(--npcg-text) 22%, #2f7fe0);
  --npcg-warn: color-mix(in srgb, var(--npcg-text) 25%, #e0620d);
  --npcg-mono: var(--jp-code-font-family, ui-monospace, monospace);
  display: flex;
  box-sizing: border-box;
  flex-direction: column;
  width: 100%;
  min-width: 280px;
  color: var(--npcg-text);
  background: var(--npcg-back);
  border: 1px solid var(--npcg-rule);
  border-radius: 6px;
  font: 13px/1.45 var(--jp-ui-font-family, system-ui, sans-serif);
  overflow: hidden;
}
.npcg-toolbar {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 4px 6px;
  padding: 6px 8px;
  border-bottom: 1px solid var(--npcg-rule);
}
.npcg-toolbar [role='tablist'] {
  display: flex;
}
.npcg button,
.npcg select,
.npcg input {
  height: 24px;
  box-sizing: border-box;
  margin: 0;
  padding: 0 8px;
  color: inherit;
  background: transparent;
  border: 1px solid var(--npcg-rule);
  border-radius: 4px;
  font: inherit;
  font-size: 12px;
}
.npcg button {
  cursor: pointer;
}
.npcg button:hover {
  background: var(--npcg-tint);
}
.npcg select option {
  color: var(--npcg-text);
  background: var(--npcg-back);
}
.npcg input[type='search'] {
  width: 132px;
}
.npcg input::placeholder {
  color: var(--npcg-quiet);
  opacity: 1;
}
.npcg :focus-visible {
  outline: 2px solid var(--jp-brand-color1, #2f7fe0);
  outline-offset: 1px;
}
.npcg [role='tab'] {
  border-radius: 0;
  margin-left: -1px;
}
.npcg [role='tab']:first-child {
  border-radius: 4px 0 0 4px;
  margin: 0;
}
.npcg [role='tab']:last-child {
  border-radius: 0 4px 4px 0;
}
.npcg [role='tab']:only-child {
  border-radius: 4px;
}
.npcg [aria-selected='true'][role='tab'],
.npcg [aria-pressed='true'] {
  font-weight: 600;
  background: color-mix(in srgb, var(--npcg-part) 18%, transparent);
  border-color: var(--npcg-part);
}
.npcg-space {
  flex: 1;
}
.npcg-count,
.npcg-quiet {
  color: var(--npcg-quiet);
}
.npcg-count {
  font-size: 12px;
}
.npcg-stage {
  overflow: auto;
  max-height: 560px;
  min-height: 60px;
  position: relative;
}
.npcg-stage > p {
  margin: 16px;
}
.npcg-svg {
  display: block;
  margin: 0 auto;
  cursor: grab;
  user-select: none;
  max-width: none;
}
.npcg-svg:active {
  cursor: grabbing;
}
.npcg-svg text {
  font-family: var(--npcg-mono);
  font-size: 11px;
  fill: var(--npcg-text);
}
.npcg-item text {
  text-anchor: middle;
}
.npcg-svg .npcg-quiet {
  font-size: 9.5px;
  fill: var(--npcg-quiet);
}
.npcg-svg .npcg-number,
.npcg-svg .npcg-fold {
  fill: var(--npcg-quiet);
}
.npcg-frame > rect {
  fill: var(--npcg-text);
  fill-opacity: 0.025;
  stroke: var(--npcg-rule);
}
.npcg-frame > text {
  cursor: pointer;
  paint-order: stroke;
  stroke: var(--npcg-back);
  stroke-width: 3px;
}
.npcg-frame.npcg-loop > rect {
  stroke-dasharray: 6 3;
}
.npcg-frame.npcg-segment > rect {
  stroke: var(--npcg-good);
  stroke-opacity: 0.55;
}
.npcg-frame.npcg-segment > text .npcg-heading,
.npcg-frame.npcg-loop > text .npcg-heading {
  font-weight: 600;
}
.npcg-item {
  cursor: pointer;
}
.npcg-item > rect {
  fill: var(--npcg-back);
  stroke: var(--npcg-edge);
}
.npcg-item.npcg-closed > rect {
  fill: color-mix(in srgb, var(--npcg-text) 5%, var(--npcg-back));
}
.npcg-item.npcg-input > rect {
  stroke: var(--npcg-part);
}
.npcg-item.npcg-output > rect {
  stroke: var(--npcg-good);
}
.npcg-item.npcg-view > rect {
  stroke-dasharray: 4 2.5;
}
.npcg-item.npcg-write > rect {
  stroke: var(--npcg-warn);
  stroke-width: 1.8;
}
.npcg-item.npcg-break > rect {
  fill: color-mix(in srgb, var(--npcg-warn) 12%, var(--npcg-back));
  stroke: var(--npcg-warn);
  stroke-dasharray: 2 3;
}
.npcg-item:hover > rect,
.npcg-item.npcg-lit > rect {
  fill: color-mix(in srgb, var(--npcg-part) 22%, var(--npcg-back));
}
.npcg-frame.npcg-lit > rect {
  fill: var(--npcg-part);
  fill-opacity: 0.14;
}
.npcg-item.npcg-selected > rect {
  stroke: var(--npcg-part);
  stroke-width: 2.6;
}
.npcg-svg [data-id]:focus {
  outline: none;
}
.npcg-svg [data-id]:focus-visible > rect {
  stroke: var(--jp-brand-color1, #2f7fe0);
  stroke-width: 2.6;
  stroke-dasharray: none;
}
.npcg-arrow {
  fill: none;
  stroke: var(--npcg-edge);
}
.npcg-arrow.npcg-memory {
  stroke-dasharray: 3 2;
}
.npcg-arrow.npcg-across {
  stroke-dasharray: 1.5 3;
}
.npcg-arrow.npcg-selected {
  stroke: var(--npcg-part);
  stroke-width: 2;
}
.npcg-detail {
  padding: 6px 10px;
  border-top: 1px solid var(--npcg-rule);
  min-height: 20px;
}
.npcg-detail code,
.npcg-table td:nth-child(3) {
  font-family: var(--npcg-mono);
  font-size: 12px;
  overflow-wrap: anywhere;
  white-space: pre-wrap;
  color: inherit;
  background: none;
}
.npcg .npcg-detail dl {
  display: flex;
  flex-wrap: wrap;
  gap: 2px 18px;
  margin: 4px 0 0;
  padding: 0;
}
.npcg .npcg-detail dl > div {
  display: flex;
  gap: 6px;
}
/* JupyterLab has its own idea of lists. */
.npcg .npcg-detail dt,
.npcg .npcg-detail dd {
  float: none;
  width: auto;
  margin: 0;
  padding: 0;
  font-weight: normal;
}
.npcg .npcg-detail dt {
  color: var(--npcg-quiet);
  white-space: nowrap;
}
.npcg-detail button {
  height: 20px;
  margin-right: 4px;
  padding: 0 5px;
  font-family: var(--npcg-mono);
}
.npcg-table {
  padding: 0;
}
.npcg-table table {
  border-collapse: collapse;
  width: 100%;
  font-size: 12px;
  margin: 0;
  color: inherit;
}
.npcg-table th,
.npcg-table td {
  padding: 3px 10px;
  text-align: left;
  vertical-align: top;
}
.npcg-table thead th {
  position: sticky;
  top: 0;
  background: var(--npcg-back);
  border-bottom: 1px solid var(--npcg-rule);
}
.npcg-table td:nth-child(1),
.npcg-table td:nth-child(6) {
  text-align: right;
  font-variant-numeric: tabular-nums;
}
.npcg-table tr.npcg-break td {
  background: color-mix(in srgb, var(--npcg-warn) 12%, transparent);
}
.npcg-table tr.npcg-selected td {
  background: color-mix(in srgb, var(--npcg-part) 20%, transparent);
}
.npcg-table tbody tr {
  cursor: pointer;
}
@media (prefers-reduced-motion: no-preference) {
  .npcg-item > rect {
    transition: fill 0.12s;
  }
}
.npcg-cards {
  display: flex;
  flex-wrap: wrap;
  align-items: flex-start;
  gap: 10px;
  padding: 10px;
}
.npcg-cards > .npcg-table {
  width: 100%;
}
.npcg-card {
  padding: 8px 10px;
  border: 1px solid var(--npcg-rule);
  border-radius: 6px;
}
.npcg-card.npcg-chosen {
  border-color: var(--npcg-part);
}
.npcg-card > button {
  font-family: var(--npcg-mono);
}
.npcg-pair {
  display: flex;
  flex-wrap: wrap;
  gap: 16px;
}
.npcg .npcg-card figure {
  margin: 6px 0 0;
  padding: 0;
}
.npcg-card figcaption {
  font-size: 12px;
  font-weight: 600;
  margin-bottom: 3px;
}
.npcg-card figure .npcg-quiet {
  font-size: 11.5px;
  margin: 3px 0;
  max-width: 240px;
}
.npcg-single {
  font: 20px var(--npcg-mono);
  margin: 8px 0;
}
.npcg-badge {
  font-size: 12px;
}
.npcg-agrees {
  color: var(--npcg-good);
  font-weight: 600;
}
.npcg-chart {
  display: block;
  max-width: 100%;
  overflow: visible;
}
.npcg-chart text {
  font: 11px var(--npcg-mono);
  fill: var(--npcg-text);
}
.npcg-above {
  fill: var(--npcg-warn);
}
.npcg-below,
.npcg-bar {
  fill: var(--npcg-part);
}
.npcg-fault {
  fill: var(--jp-error-color1, #d32f2f);
}
.npcg-chart rect:hover {
  stroke: var(--npcg-text);
}
.npcg-chart circle {
  fill: var(--npcg-part);
}
.npcg-series {
  fill: none;
  stroke: var(--npcg-edge);
}
.npcg-series.npcg-selected {
  stroke: var(--npcg-part);
  stroke-width: 1.6;
}
.npcg-zero {
  stroke: var(--npcg-rule);
}
`;var ct={graph:Le,gradients:se};function nn(t,e){let n=ct[t];if(n===void 0)throw new Error(`jupyter-npcompile has no view ${t}`);let r=g("style",{},Ae);e.el.append(r);let o=n(e);return()=>{o(),r.remove()}}export{nn as show};

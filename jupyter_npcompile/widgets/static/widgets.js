var We="http://www.w3.org/2000/svg";function p(t,e={},...n){let r=document.createElement(t);return re(r,e),r.append(...n),r}function v(t,e={},...n){let r=document.createElementNS(We,t);return re(r,e),r.append(...n),r}function re(t,e){for(let[n,r]of Object.entries(e))r!==!1&&t.setAttribute(n,r===!0?"":String(r))}function E(t,e,n){let r=p("button",{type:"button",title:e},t);return e!==""&&r.setAttribute("aria-label",e),r.addEventListener("click",n),r}var j=240,F=96,oe=["","6 3","2 3","8 3 2 3"];function Y(t,e,n){return n<=e||e<2?t:Math.floor(t*(n-1)/(e-1))}function ie(t,e,n){let r=Math.max(1,...t.map(c=>c.length)),o=Math.max(...t.flat().filter(Number.isFinite).map(Math.abs),Number.MIN_VALUE),i=j/r,s=Math.min(i,168/t.length),l=t.flatMap((c,g)=>c.map((u,f)=>{let y=[Y(g,t.length,e[0]),Y(f,c.length,e[1])],b=Number.isFinite(u);return v("rect",{x:f*i,y:g*s,width:i,height:s,class:b?u<0?"npcg-below":"npcg-above":"npcg-fault",...b?{"fill-opacity":(Math.abs(u)/o).toFixed(3)}:{}},v("title",{},`[${y.join(", ")}]: ${u}`))})),a=t.length*s,d={x:0,y:0,width:r*i,height:a};return H(n,a,[...l,v("rect",{class:"npcg-frame",...d})])}function se(t,e,n,r){let o=Math.max(1,...t),i=j/t.length,s=(n-e)/t.length,l=t.map((a,d)=>{let c=Math.max(44*a/o,.5),g=(e+d*s).toPrecision(4),u=(e+(d+1)*s).toPrecision(4);return v("rect",{class:"npcg-bar",x:d*i,y:44-c,width:i,height:c},v("title",{},`${a} from ${g} to ${u}`))});return H(r,44,l)}function Z(t,e,n=0){let r=t.flatMap(d=>d.values).filter(Number.isFinite),o=Math.min(0,...r),i=Math.max(0,...r),s=(F-12)/(i-o||1),l=d=>F-6-(d-o)*s,a=[v("line",{class:"npcg-zero",x1:0,x2:j,y1:l(0),y2:l(0)})];return t.forEach(({title:d,chosen:c,values:g},u)=>{let f=j/Math.max(g.length,1),y="";g.forEach((b,m)=>{let x=(m+.5)*f;if(Number.isFinite(b)){let M=Number.isFinite(g[m-1]??NaN);y+=`${M?"L":"M"}${x.toFixed(1)},${l(b).toFixed(1)}`}let k=Number.isFinite(b)?v("circle",{cx:x,cy:l(b),r:Math.min(2.2,f/2)}):v("text",{class:"npcg-fault",x:x-3,y:F-8},"✕");k.append(v("title",{},`${d}, ${Y(m,g.length,n)}: ${b}`)),a.push(k)}),a.push(v("path",{class:`npcg-series${c?" npcg-selected":""}`,d:y,"stroke-dasharray":c?"":oe[u%oe.length]??""}))}),H(e,F,a)}function ae(t,e){let[n,r,o]=[15,200,240],i=t.flatMap(({value:c,least:g})=>[c,g]).filter(c=>c>0&&c<1/0),s=Math.log10(Math.max(...i,Number.MIN_VALUE)),l=Math.min(Math.log10(Math.min(...i,1/0)),s-1)-.5,a=c=>{let g=c>0?(Math.log10(c)-l)/(s-l):0,u=Number.isFinite(g)?Math.max(0,g)*o:o;return Math.max(u,1)},d=t.flatMap((c,g)=>{let{value:u,least:f,times:y,fault:b}=c,m=y>1?` ×${y}`:"",x=(L,A)=>v("rect",{class:`${b?"npcg-fault":"npcg-bar"} ${A}`,x:r,y:g*n+2,width:a(L),height:n-5}),[k,M]=[f,u].map(_e),S=`${b?"✕ ":""}${k===M?"":`${k} to `}${M}`;return[v("text",{x:0,y:g*n+11},c.label.slice(0,32-m.length)+m),x(u,y>1?"npcg-most":""),...y>1?[x(f,"")]:[],v("text",{x:r+a(u)+5,y:g*n+11},S)]});return H(e,t.length*n,d,r+o+130)}function _e(t){return t!==0&&Math.abs(t)<.001?t.toExponential(2):`${Number(t.toPrecision(3))}`}function H(t,e,n,r=j){return v("svg",{class:"npcg-chart",viewBox:`0 0 ${r} ${Math.max(e,1)}`,width:r,height:Math.max(e,1),role:"img","aria-label":t},...n)}var qe=["data","memory","across"];function X(t){let e=$(t);return{source:h(e.source),summary:h(e.summary),levels:I(e.levels).map(Ue),timing:De(e.timing)}}function De(t){let e=$(t);return{bandwidth:w(e.bandwidth),note:h(e.note),rows:I(e.rows).map(n=>Q(n,Je))}}function Ue(t){let e=$(t),n=new Set([""]),r=[];for(let s of I(e.groups).map(l=>Q(l,Ye)))s.id!==""&&!n.has(s.id)&&n.has(s.parent)&&(n.add(s.id),r.push(s));let o=I(e.boxes).map(Xe).filter(s=>n.has(s.group)),i=new Set(o.map(s=>s.id));return{key:h(e.key),title:h(e.title),groups:r,boxes:o,arrows:I(e.arrows).flatMap(s=>{let[l,a,d]=I(s);return i.has(h(l))&&i.has(h(a))?[{tail:h(l),head:h(a),kind:qe[w(d)]??"data"}]:[]})}}var Je={kind:h,lines:le,title:h,numpy:w,compiled:w,bound:w,moves:w},Ye={id:h,parent:h,kind:h,title:h,detail:h,hint:h,time:h,line:w,end:w,at:w},Ze={id:h,kind:h,title:h,detail:h,text:h,line:w,lines:le,fuses:Qe,moves:w,dtype:h,shape:h,bytes:w,flops:t=>typeof t=="number"?w(t):null,rule:h,us:w,rate:h,group:h,at:w};function Xe(t){let e=Q(t,Ze);return e.lines.length>0?e:{...e,lines:[e.line]}}function Q(t,e){let n=$(t),r={};for(let o in e)r[o]=e[o](n[o]);return r}function $(t){return typeof t=="object"&&t!==null?t:{}}function I(t){return Array.isArray(t)?t:[]}function h(t){return typeof t=="string"?t:""}function w(t){return typeof t=="number"&&Number.isFinite(t)?t:0}function le(t){return I(t).map(w)}function Qe(t){return I(t).map(h)}function de(t){let e=$(t),n=I(e.nodes).map(r=>{let o=$(r),i=O(o.norm);return{op:h(o.op),line:w($(o.position).line),norm:i,least:typeof o.least=="number"?o.least:i,times:Math.max(w(o.times),1),fault:o.finite_value===!1||o.finite_gradient===!1}});return{variables:I(e.variables).map(nt),nodes:n,notes:[...tt(e),...I(e.notes).map(r=>{let[o,i]=I(r);return`Line ${w($(o).line)}: ${h(i)}`})],check:h(e.check),first:et(e.nonfinite)}}function et(t){let e=$(t),n=w(e.run);return h(e.op)===""?"":`✕ NaN or infinity first in the ${e.in_value===!0?"result":"gradient"} of ${h(e.op)}, line ${w($(e.position).line)}`+(n>0?`, run ${n}`:"")}function tt(t){let e=h(t.note),n=h(t.device);return[...e===""?[]:[`${e.charAt(0).toUpperCase()}${e.slice(1)}.`],...n===""||n==="cpu"?[]:[`Computed on ${n}.`]]}function pe(t){return I(t).map(e=>new Map(Object.entries($(e)).map(([n,r])=>[n,O(r)])))}function nt(t){let e=$(t),n=h(e.output),r=h(e.name);return{key:`${n}/${r}`,name:r,title:`d ${n} / d ${r}`,value:ce(e.value),gradient:ce(e.gradient)}}function ce(t){let e=$(t);return{dtype:h(e.dtype),shape:I(e.shape).map(w),rows:I(e.rows).map(n=>I(n).map(O)),low:O(e.low),high:O(e.high),norm:O(e.norm),zeros:w(e.zeros),nonfinite:w(e.nonfinite),histogram:I(e.histogram).map(w)}}function O(t){return t==="inf"?1/0:t==="-inf"?-1/0:typeof t=="number"?t:NaN}function V(t,e,n){for(let r of e)t.on(`change:${r}`,n);return()=>{for(let r of e)t.off(`change:${r}`,n)}}var rt=60,ue=({model:t,el:e})=>{let n=p("div",{class:"npcg",role:"group","aria-label":"Gradients"}),r=!1,o=()=>{let s=de(t.get("gradients")),l=E("Table","",()=>{r=!r,o()});l.setAttribute("aria-pressed",String(r)),n.replaceChildren(p("div",{class:"npcg-toolbar"},ot(s.check),p("span",{class:"npcg-space"}),l),p("div",{class:"npcg-stage npcg-cards",tabindex:0},...r?[lt(s)]:it(s,t)))},i=V(t,["gradients","history","selected"],o);return e.append(n),o(),()=>{i(),n.remove()}};function ot(t){let e=t.startsWith("agrees");return p("span",{class:`npcg-badge${e?" npcg-agrees":""}`},`${e?"✓":"○"} Check against NumPy: ${t}`)}function it(t,e){let n=h(e.get("selected")),o=[...t.variables.map(s=>{let l=p("section",{class:`npcg-card${s.key===n?" npcg-chosen":""}`,"aria-label":s.title}),a=E(s.title,"",()=>{e.set("selected",s.key),e.save_changes()});return a.setAttribute("aria-pressed",String(s.key===n)),l.append(a,p("span",{class:"npcg-quiet"},` ${me(s.value)}`),p("div",{class:"npcg-pair"},ge("Value",s,s.value),ge("Gradient",s,s.gradient))),l})],i=pe(e.get("history"));if(i.length>1&&t.variables.length>0){let s=t.variables.map(({key:l,title:a})=>({title:a,chosen:l===n,values:i.map(d=>d.get(l)??NaN)}));o.push(p("section",{class:"npcg-card","aria-label":"History"},p("b",{},`Norm of each gradient over ${i.length} runs`),Z(s,"Norms over the runs")))}if(t.nodes.length>0){let s=t.nodes.slice(-rt);o.push(p("section",{class:"npcg-card","aria-label":"Along the lines"},p("b",{},"Norm of the gradient along the lines"),p("span",{class:"npcg-quiet"},` ${t.first}`),ae(s.map(l=>({label:`${l.line>0?`${l.line}  `:""}${l.op}`,times:l.times,value:l.norm,least:l.least,fault:l.fault})),"Norm of the gradient at each operation")))}for(let s of t.notes)o.push(p("p",{},s));return o.length===0&&o.push(p("p",{},"No gradients.")),o}function ge(t,e,n){let r=`${t} of ${e.name}`,o=n.shape.length===0?p("div",{class:"npcg-single"},N(n.rows[0]?.[0]??NaN)):n.rows.length===1?Z([{title:r,chosen:!0,values:n.rows[0]??[]}],r,n.shape.at(-1)):ie(n.rows,st(n.shape),r),i=n.histogram;return p("figure",{},p("figcaption",{},t),o,p("div",{class:"npcg-quiet"},at(n)),...i.length>0?[se(i,n.low,n.high,`Histogram of ${r}`)]:[])}function st(t){return[t.slice(0,-1).reduce((n,r)=>n*r,1),t.at(-1)??1]}function me({dtype:t,shape:e}){return`${t}${e.length>0?`[${e.join(", ")}]`:""}`}function at(t){let e=[`norm ${N(t.norm)}`];return t.shape.length>0&&e.push(`${N(t.low)} to ${N(t.high)}`),t.zeros>0&&e.push(`${Math.round(t.zeros*100)} % zero`),t.nonfinite>0&&e.push(`✕ ${t.nonfinite} NaN or infinite`),e.join(" · ")}function lt(t){return p("div",{class:"npcg-table npcg-figures"},p("table",{},p("thead",{},p("tr",{},...["Gradient","dtype","Norm","Lowest","Highest","Zero","Not finite"].map(n=>p("th",{scope:"col"},n)))),p("tbody",{},...t.variables.map(({title:n,gradient:r})=>p("tr",{},...[n,me(r),N(r.norm),N(r.low),N(r.high),`${Math.round(r.zeros*100)} %`,String(r.nonfinite)].map(o=>p("td",{},o)))))))}function N(t){return Number.isFinite(t)?Number(t.toPrecision(4)).toString():String(t)}function T(t){let[e,n]=t<999.5?[t,"µs"]:t<999500?[t/1e3,"ms"]:[t/1e6,"s"];return`${e>=9.95?e.toFixed(0):e.toPrecision(2)} ${n}`}var ct=new Set(["operation","view","write"]),dt=12;function fe(t,e,n){let r=t.boxes.get(e),o=t.groups.get(e),i=[],s;if(r!==void 0){let l=t.data.arrows.filter(d=>d.head===e),a=t.data.arrows.filter(d=>d.tail===e);s=r.text,i.push([r.lines.length>1?"Lines":"Line",r.line>0?r.lines.join(", "):"–"],...r.fuses.length>0?[["Computes",r.fuses.join(", ")]]:[],...r.moves>0?[["Moves",R(r.moves)]]:[],["dtype",r.dtype||"–"],["Shape",r.shape||"–"],["Memory",r.bytes>0?R(r.bytes):"–"],...ct.has(r.kind)?[["FLOPs",pt(r)],["Time",gt(t,r)]]:[],...r.rate===""?[]:[["Rate",r.rate]],["Reads",he(t,l.map(d=>d.tail),n)],["Read by",he(t,a.map(d=>d.head),n)])}else if(o?.kind==="break")s=`✕ Break point: ${o.title}`,i.push(["Line",String(o.line)],["Hint",o.hint||"–"]);else return null;return[p("code",{},s),p("dl",{},...i.map(([l,a])=>p("div",{},p("dt",{},l),p("dd",{},a))))]}function pt(t){if(t.flops===null)return"unknown";let e=t.flops.toLocaleString("en");return t.rule===""?e:`${e} (${t.rule})`}function gt(t,e){return e.us>0?t.data.key==="numpy"?`${T(e.us)} in NumPy, by itself`:`${T(e.us)}, by itself`:t.around(e.id).map(r=>t.groups.get(r)?.time).find(r=>!!r)??"not measured"}function he(t,e,n){if(e.length===0)return"–";let r=e.slice(0,dt).map(i=>E(t.boxes.get(i)?.title??i,"",()=>{n(i)})),o=e.length-r.length;return p("span",{},...r,o>0?` and ${o} more`:"")}function R(t,e=3){let n=["B","kB","MB","GB","TB"],r=0,o=t;for(;o>=1e3&&r<n.length-1;)o/=1e3,r+=1;return`${r===0||o>=10**(e-1)?o.toFixed(0):o.toPrecision(e)} ${n[r]??""}`}var be=5;function ye(t,e,n){let{width:r,height:o}=e,i=new Map(t.items.map((s,l)=>[s.id,l+1]));return v("svg",{class:"npcg-svg",viewBox:`0 0 ${Math.ceil(r)} ${Math.ceil(o)}`,role:"tree","aria-label":n},v("g",{role:"presentation"},...e.frames.map(({frame:s,place:l})=>ut(s,l))),v("g",{role:"presentation"},...e.routes.map(ft)),v("g",{role:"presentation"},...t.items.map(s=>mt(s,e.boxes.get(s.id),i.get(s.id)??0))))}function ut(t,e){let{group:n,depth:r}=t,{x:o,y:i,width:s,height:l}=e,a=n.line>0?`line ${n.line}`:"";return v("g",{class:`npcg-frame npcg-${n.kind}`,"data-id":n.id,"data-line":n.line,role:"treeitem","aria-level":r+1,"aria-expanded":"true","aria-selected":"false",tabindex:-1},v("title",{},[n.kind,a,n.title,n.detail].filter(d=>d!=="").join(", ")),v("rect",{x:o,y:i,width:s,height:l,rx:6}),v("text",{x:o+10,y:i+16},v("tspan",{class:"npcg-fold"},"▾ "),...n.line>0?[v("tspan",{class:"npcg-number"},`${n.line}  `)]:[],v("tspan",{class:"npcg-heading"},n.title),v("tspan",{class:"npcg-quiet"},`   ${n.detail}`)))}function mt(t,e,n){let{x:r,y:o,width:i,height:s}=e??{x:0,y:0,width:0,height:0},l=r+i/2,a=t.kind==="break"?t.group?.hint??"":"",d=t.kind==="break"?a&&`→ ${a}`:t.detail,c=t.group!==null&&t.kind!=="break",g=t.kind==="input"||t.kind==="output";return v("g",{class:`npcg-item npcg-${t.kind}${c?" npcg-closed":""}`,"data-id":t.id,"data-line":t.lines.join(" "),role:"treeitem","aria-level":t.depth+1,"aria-posinset":n,"aria-selected":"false",...c?{"aria-expanded":"false"}:{},tabindex:-1},v("title",{},ht(t)),v("rect",{x:r,y:o,width:i,height:s,rx:g?s/2:4}),v("text",{x:l,y:o+(d?s/2-2:s/2+4)},...c?[v("tspan",{class:"npcg-fold"},"▸ ")]:[],...c&&t.line>0?[v("tspan",{class:"npcg-number"},`${t.line}  `)]:[],t.kind==="break"?`✕ ${t.title}`:t.title),...d?[v("text",{class:"npcg-quiet",x:l,y:o+s/2+12},d)]:[])}function ht(t){let e=t.line>0?`line ${t.line}: `:"";if(t.kind==="break"){let n=t.group?.hint??"";return`Break point, ${e}${t.title}${n&&` → ${n}`}`}return t.box!==null?`${e}${t.box.text}`:`${t.kind}, ${e}${t.title}, ${t.detail}`}function ft(t){let[e,...n]=t.points;if(e===void 0||n.length===0)return v("path");let[r,o]=e,s=(n.at(-1)??e)[1]>=o?1:-1,l=`M${G(r)},${G(o)}`;return n.forEach(([a,d],c)=>{let g=c===n.length-1?d-s*be:d,u=(g-o)/2;l+=`C${G(r)},${G(o+u)} ${G(a)},${G(g-u)} ${G(a)},${G(g)}`,[r,o]=[a,g]}),l+=`m-2.4,0h4.8l-2.4,${s*be}z`,v("path",{class:`npcg-arrow npcg-${t.kind}`,"data-tail":t.tail,"data-head":t.head,d:l})}function G(t){return t.toFixed(1)}var bt=["fill","fill-opacity","stroke","stroke-width","stroke-dasharray","font-family","font-size","font-weight","text-anchor","opacity"];function ve(t){let e=t.cloneNode(!0),n=[t,...t.querySelectorAll("*")],r=[e,...e.querySelectorAll("*")];n.forEach((s,l)=>{let a=getComputedStyle(s),d=r[l];for(let c of bt)d?.setAttribute(c,a.getPropertyValue(c));d?.removeAttribute("tabindex"),d?.removeAttribute("style")});let{width:o,height:i}=t.viewBox.baseVal;return e.setAttribute("width",String(o)),e.setAttribute("height",String(i)),e.setAttribute("role","img"),new XMLSerializer().serializeToString(e)}async function yt(t){let e=new Image,n=`data:image/svg+xml;charset=utf-8,${encodeURIComponent(ve(t))}`;await new Promise((l,a)=>{e.onload=()=>{l()},e.onerror=()=>{a(new Error("the drawing is too large for a picture"))},e.src=n});let r=document.createElement("canvas"),o=Math.min(2,16e3/Math.max(e.width,e.height));r.width=e.width*o,r.height=e.height*o;let i=r.getContext("2d"),s=getComputedStyle(t).getPropertyValue("--npcg-back").trim();if(i===null)throw new Error("this browser draws no pictures");return i.fillStyle=s===""?"#fff":s,i.fillRect(0,0,r.width,r.height),i.drawImage(e,0,0,r.width,r.height),new Promise((l,a)=>{r.toBlob(d=>{d===null?a(new Error("the drawing is too large for a picture")):l(d)})})}function vt(t){let e=["digraph captured {","  node [shape=box, fontname=Courier]"],n=1,r=o=>{e.push("  ".repeat(n)+o)};for(let o of t.steps)if(o.kind==="open")r(`subgraph ${B(`cluster ${o.frame.group.id}`)} {`),n+=1,r(`label=${B(o.frame.group.title)}`);else if(o.kind==="close")n-=1,r("}");else{let{id:i,title:s,detail:l}=o.item;r(`${B(i)} [label=${B(l===""?s:`${s}
${l}`)}]`)}for(let{tail:o,head:i,kind:s}of t.arrows){let l=s==="data"?"":" [style=dashed]";e.push(`  ${B(o)} -> ${B(i)}${l}`)}return[...e,"}",""].join(`
`)}function B(t){return`"${t.replaceAll("\\","\\\\").replaceAll('"','\\"').replaceAll(`
`,"\\n")}"`}function xt(t){return JSON.stringify(t,null,1)}function K(t,e){let n=typeof e=="string"?new Blob([e]):e,r=URL.createObjectURL(n),o=document.createElement("a");o.href=r,o.download=t,o.click(),setTimeout(()=>{URL.revokeObjectURL(r)},1e3)}function xe(t,e,n,r,o){let i=`graph-${e.key}.${t.toLowerCase()}`;t==="JSON"?K(i,xt(e)):t==="DOT"?K(i,vt(n)):r===null?o("leave the table to export a picture"):t==="SVG"?K(i,ve(r)):yt(r).then(s=>{K(i,s)},s=>{o(String(s))})}var wt={ArrowDown:t=>{ee(t,1)},ArrowUp:t=>{ee(t,-1)},Home:t=>{P(t,t.reading()[0])},End:t=>{P(t,t.reading().at(-1))},ArrowRight:t=>{let e=t.here();t.isGroup(e)&&!t.isOpen(e)?t.toggle(e):t.isOpen(e)?ee(t,1):P(t,t.reader(e))},ArrowLeft:t=>{let e=t.here();t.isOpen(e)?t.toggle(e):P(t,t.parent(e))},Enter:we," ":we,Escape:t=>{t.select("")},"+":t=>{t.zoomBy(1.25)},"=":t=>{t.zoomBy(1.25)},"-":t=>{t.zoomBy(.8)},0:t=>{t.fit()},"/":t=>{t.search()}};function ke(t,e){let n=wt[t.key];return n===void 0||t.ctrlKey||t.metaKey||t.altKey?!1:(n(e),!0)}function ee(t,e){let n=t.reading(),r=n.indexOf(t.here())+e;P(t,n[Math.max(0,Math.min(n.length-1,r))])}function P(t,e){e!==void 0&&t.go(e)}function we(t){let e=t.here();t.isGroup(e)?t.toggle(e):t.select(e)}function Me(t,e,n){let r=(o,i,s)=>{let l=Ie(i),a=Ie(o),d=new Map(o.map(c=>{let g=(s.get(c)??[]).flatMap(y=>l.get(y)??[]),u=g.reduce((y,b)=>y+b,0),f=g.length>0?u/g.length:a.get(c);return[c,f??0]}));o.sort((c,g)=>(d.get(c)??0)-(d.get(g)??0))};for(let o=0;o<4;o+=1){for(let i=1;i<t.length;i+=1)r(t[i]??[],t[i-1]??[],e);for(let i=t.length-2;i>=0;i-=1)r(t[i]??[],t[i+1]??[],n)}}function Ie(t){let e=Math.max(t.length-1,1);return new Map(t.map((n,r)=>[n,r/e]))}function $e(t,e,n,r){let o=new Map,i=c=>r.get(c)?.[0]??0,s=t.map(c=>{let g=[],u=0;return c.forEach((f,y)=>{y>0&&(u+=(i(c[y-1]??"")+i(f))/2+18),g.push(u)}),g});t.forEach((c,g)=>{let u=s[g]??[],f=(u.at(-1)??0)/2;c.forEach((y,b)=>o.set(y,(u[b]??0)-f))});let l=(c,g)=>{let u=t[c]??[],f=s[c]??[],y=[],b=[];u.forEach((m,x)=>{let k=g(m),M=k.reduce((L,A)=>L+(o.get(A)??0),0),S=k.length>0?M/k.length:o.get(m)??0;y.push(S-(f[x]??0)),b.push((k.length||.1)*(i(m)<24?4:1))}),kt(y,b).forEach((m,x)=>o.set(u[x]??"",m+(f[x]??0)))},a=c=>e.get(c)??[],d=c=>n.get(c)??[];for(let c=0;c<4;c+=1){for(let g=0;g<t.length;g+=1)l(g,a);for(let g=t.length-1;g>=0;g-=1)l(g,d);for(let g=0;g<t.length;g+=1)l(g,u=>[...a(u),...d(u)])}return o}function kt(t,e){let n=[];return t.forEach((r,o)=>{let i=r,s=e[o]??1,l=1;for(let a=n.at(-1);a!==void 0&&a[0]>i;a=n.at(-1))i=(i*s+a[0]*a[1])/(s+a[1]),s+=a[1],l+=a[2],n.pop();n.push([i,s,l])}),n.flatMap(([r,,o])=>Array(o).fill(r))}var It=6.9,Mt=5.7,$t=24,Ee=12,Et=26,Ae=24,C=8,Se=10,St=4e3;function Te(t){let e=new Map;for(let c of t.items)e.set(c.id,Re(c));let{rows:n,rowOf:r,bands:o}=Lt(t),i=At(t.arrows,n,r,e),s=new Map,l=new Map;for(let c of new Set([...i.values()].flatMap(Tt))){let[g,u]=c.split(`
`);te(l,g,u),te(s,u,g)}let a=n.map(c=>c.members);Me(a,s,l);let d=$e(a,s,l,e);return Rt(t,n,o,d,e,i)}function Re(t){let e=t.line>0&&t.group!==null?6:0,n=t.kind==="break"?[`✕  ${t.title}`]:[t.title],r=Math.max(...n.map(W))+e,o=W(t.kind==="break"?`→ ${t.group?.hint??""}`:t.detail),i=Math.max(r*It,o*Mt,26),s=t.kind==="break"?t.group?.hint!=="":t.detail;return[i+$t,s?38:26]}function W(t){let e=0;for(let n of t)e+=/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(n)?2:1;return e}function Lt(t){let e=new Map;for(let{tail:u,head:f}of t.arrows)te(e,f,u);let n=[],r=new Map,o=[],i=[],s=C,l=[],a=(u,f)=>{let y=Math.max(...f);for(let b of u)r.set(b,n.length);n.push({members:u,y:s+y/2,height:y}),s+=y+Et},d=()=>{let u=new Map,f=[];for(let y of l){let b=Math.max(0,...(e.get(y)??[]).map(m=>(u.get(m)??-1)+1));u.set(y,b),(f[b]??=[]).push(y)}for(let y of f)for(let b=0;b<y.length;b+=Se){let m=y.slice(b,b+Se);a(m,m.map(x=>c.get(x)??26))}l=[]},c=new Map(t.items.map(u=>[u.id,Re(u)[1]])),g="";for(let u of t.steps){if(u.kind==="item"&&u.item.group===null){let f=u.item.kind==="input"||u.item.kind==="output"?u.item.kind:"operation";l.length>0&&f!==g&&d(),g=f,l.push(u.item.id);continue}if(d(),u.kind==="item")a([u.item.id],[c.get(u.item.id)??26]);else if(u.kind==="open"){let f={frame:u.frame,first:n.length,last:n.length};i.push(f),o.push(f),s+=Ae}else{let f=i.pop();f!==void 0&&(f.last=n.length-1),s+=8}}return d(),{rows:n,rowOf:r,bands:o}}function At(t,e,n,r){let o=St,i=new Map,s=t.map(({tail:l,head:a})=>{let d=n.get(l)??0,c=n.get(a)??0;return{tail:l,head:a,from:d,to:c}}).sort((l,a)=>Math.abs(l.to-l.from)-Math.abs(a.to-a.from));for(let{tail:l,head:a,from:d,to:c}of s){let[g,u]=d<=c?[l,a]:[a,l],f=[];for(let y=Math.min(d,c)+1;y<Math.max(d,c);y+=1){let b=`${g}|${y}`;if(!r.has(b)){if(o<=0){f.length=0;break}o-=1,r.set(b,[2,0]),e[y]?.members.push(b)}f.push(b)}i.set(`${l}
${a}`,[g,...f,u])}return i}function Tt(t){return t.slice(1).map((e,n)=>`${t[n]??""}
${e}`)}function Rt(t,e,n,r,o,i){let s=Math.max(0,...n.map(m=>m.frame.depth+1)),l=0,a=0;for(let[m,x]of r){let k=(o.get(m)?.[0]??0)/2;l=Math.min(l,x-k),a=Math.max(a,x+k)}for(let{frame:m}of n){let{title:x,detail:k}=m.group,M=(W(x)+W(k)+10)*6.6;a=Math.max(a,l+M)}let d=C+s*Ee,c=d-l,g=a-l+2*d,u=new Map;for(let m of e)for(let x of m.members)u.set(x,m.y);let f=new Map;for(let m of t.items){let[x,k]=o.get(m.id)??[0,0];f.set(m.id,{x:(r.get(m.id)??0)+c-x/2,y:(u.get(m.id)??0)-k/2,width:x,height:k})}let y=n.flatMap(m=>{let x=e[m.first],k=e[m.last];if(x===void 0||k===void 0||m.last<m.first)return[];let M=Le(n,m,"first"),S=Le(n,m,"last"),L=x.y-x.height/2-Ae*(1+M)-2,A=k.y+k.height/2+8*(1+S),z=C+m.frame.depth*Ee;return[{frame:m.frame,place:{x:z,y:L,width:g-2*z,height:A-L}}]}),b=Math.max(C,...y.map(({place:m})=>m.y+m.height),...[...f.values()].map(m=>m.y+m.height));return{width:g,height:b+C,boxes:f,frames:y,routes:t.arrows.map(({tail:m,head:x,kind:k})=>{let M=i.get(`${m}
${x}`)??[m,x],S=f.get(M[0]??""),L=f.get(M.at(-1)??""),A=M.slice(1,-1).map(z=>[(r.get(z)??0)+c,u.get(z)??0]);return S!==void 0&&L!==void 0&&(A.unshift([S.x+S.width/2,S.y+S.height]),A.push([L.x+L.width/2,L.y])),{tail:m,head:x,kind:k,points:M[0]===m?A:A.reverse()}})}}function Le(t,e,n){let r=t.filter(o=>o[n]===e[n]&&o.frame.depth>e.frame.depth&&o.first>=e.first&&o.last<=e.last).map(o=>o.frame.depth-e.frame.depth);return Math.max(0,...r)}function te(t,e,n){let r=t.get(e);r===void 0?t.set(e,[n]):r.push(n)}var Ge="npcompile:line-of-node",Ne="npcompile:line-of-editor";function Oe(t,e){window.dispatchEvent(new CustomEvent(t,{detail:e}))}function Ve(t,e){let n=r=>{e(r.detail)};return window.addEventListener(t,n),()=>{window.removeEventListener(t,n)}}var _=class{constructor(e,n){this.stage=e;this.source=n}stage;source;follow(){return Ve(Ne,({source:e,lines:n})=>{e===this.source()&&this.light(n)})}tell(e){let r=(e instanceof Element?e.closest("[data-line]"):null)?.getAttribute("data-line")??"";if(r!==this.told){this.told=r;let o=r.split(" ").map(Number);Oe(Ge,{source:this.source(),lines:o.filter(i=>i>0)})}}light(e){for(let n of this.stage.all("[data-line]")){let r=(n.getAttribute("data-line")??"").split(" ");n.classList.toggle("npcg-lit",e.some(o=>r.includes(String(o))))}}told=""};function Be(t,e){let n=e.trim().toLowerCase();if(n==="")return[];let r=t.data.groups.filter(o=>o.kind==="break");return[...t.data.boxes,...r].filter(o=>{let i="text"in o?o.text:o.hint;return`${o.title}
${i}`.toLowerCase().includes(n)}).sort((o,i)=>o.at-i.at).map(o=>o.id)}var ze=.05,Gt=4,q=class{node=p("div",{class:"npcg-stage"});dragged=!1;get drawing(){return this.drawn}draw(e){let{scrollLeft:n,scrollTop:r}=this.node;this.drawn=e,this.node.replaceChildren(e),e.addEventListener("wheel",this.onWheel,{passive:!1}),e.addEventListener("pointerdown",o=>{this.onPress(o)}),this.zoom(this.scale),this.node.scrollTo(n,r)}put(e){this.drawn=null,this.node.replaceChildren(e)}all(e){return[...this.node.querySelectorAll(e)]}element(e){return this.node.querySelector(`[data-id="${CSS.escape(e)}"]`)}reach(e){for(let n of this.all('[data-id][tabindex="0"]'))n.setAttribute("tabindex","-1");e.setAttribute("tabindex","0")}zoomBy(e){let{clientWidth:n,clientHeight:r}=this.node,[o,i]=[n/2,r/2],s=this.scale,l=this.node.scrollLeft+o,a=this.node.scrollTop+i;this.zoom(Math.max(ze,Math.min(Gt,this.scale*e)));let d=this.scale/s;this.node.scrollTo(l*d-o,a*d-i)}fit(){let e=this.drawn?.viewBox.baseVal.width??0;e>0&&this.node.clientWidth>0&&this.zoom(Math.max(ze,Math.min(1,this.node.clientWidth/e)))}zoom(e){if(this.scale=e,this.drawn!==null){let{width:n,height:r}=this.drawn.viewBox.baseVal;this.drawn.style.width=`${n*e}px`,this.drawn.style.height=`${r*e}px`}}onWheel=e=>{(e.ctrlKey||e.metaKey)&&(e.preventDefault(),this.zoomBy(Math.exp(-e.deltaY/300)))};onPress(e){if(this.dragged=!1,e.button!==0||e.pointerType==="touch")return;let{clientX:n,clientY:r}=e,{scrollLeft:o,scrollTop:i}=this.node,s=a=>{let[d,c]=[a.clientX-n,a.clientY-r];this.dragged||=Math.hypot(d,c)>4,this.dragged&&this.node.scrollTo(o-d,i-c)},l=()=>{window.removeEventListener("pointermove",s),window.removeEventListener("pointerup",l)};window.addEventListener("pointermove",s),window.addEventListener("pointerup",l)}drawn=null;scale=1};var Nt=2e3,Ot=["Line","What","Operation","dtype","Shape","Bytes","FLOPs","Time"],Vt=["Line","What","Operation","FLOPs","Time","Moves","Rate"];function je(t,e){let n=t.data.key==="kernels",r=n?Vt:Ot,o=t.data.groups.filter(a=>a.kind==="break"),i=[...t.data.boxes,...o].sort((a,d)=>a.at-d.at),s=i.slice(0,Nt).map(a=>{let d=p("tr",{"data-id":a.id,class:`npcg-${a.kind}`}),c="text"in a?[a.kind,a.text,...n?[]:[a.dtype,a.shape,a.bytes>0?a.bytes.toLocaleString("en"):""],a.flops===null?"":a.flops.toLocaleString("en"),a.us>0?T(a.us):"",...n?[a.moves>0?R(a.moves):"",a.rate]:[]]:["break point",a.hint===""?a.title:`${a.title} → ${a.hint}`,...r.slice(3).map(()=>"")],g="lines"in a?a.lines:[a.line];return d.append(p("td",{},a.line>0?g.join(", "):""),...c.map(u=>p("td",{},u))),d.addEventListener("click",()=>{e(a.id)}),d}),l=i.length-s.length;return p("div",{class:"npcg-table",tabindex:0,role:"region","aria-label":"Table"},p("table",{},p("thead",{},p("tr",{},...r.map(a=>p("th",{scope:"col"},a)))),p("tbody",{},...s)),...l>0?[p("p",{},`… ${l} more: export JSON`)]:[])}var D="timing",Bt=500,Pe=64,zt=["Lines","What","","NumPy","Compiled","Moves","Rate","Bound"];function Ce(t){let e=t.rows.slice(0,Bt),n=jt(e),r=t.rows.length-e.length;return p("div",{class:"npcg-table npcg-timing",tabindex:0,role:"region","aria-label":"Timing"},p("table",{},p("thead",{},p("tr",{},...zt.map(o=>o===""?p("td"):p("th",{scope:"col"},o)))),p("tbody",{},...e.map((o,i)=>Ct(o,n[i]??1)))),p("p",{class:"npcg-quiet"},Pt(t,r)))}function jt(t){let e=[];for(let n of t)(n.kind==="region"||e.length===0)&&e.push([]),e.at(-1)?.push(Math.max(n.numpy,n.compiled,n.bound));return e.flatMap(n=>{let r=Math.max(...n)||1;return n.map(()=>r)})}function Pt(t,e){return`${[...e>0?[`… ${e} more rows`]:[],...t.note===""?[]:[t.note],...t.bandwidth>0?[`Bound: what one thread needs to move the bytes to and from memory, at ${R(t.bandwidth,2)} a second; several threads, and arrays that fit into caches, can be faster`]:[],"Each region has a scale of its own",...t.rows.some(r=>r.kind==="line")?["Lines and kernels were timed one by one, the best of some runs: without what lies between them, such as fresh memory"]:["%npcompile timing measures lines and kernels, too"],...t.rows.some(r=>r.kind==="kernel"&&Fe(r)===0)?["Kernels without a time are part of that of their region"]:[]].join(". ")}.`}function Ct(t,e){let[n=0,r=0]=[t.lines[0],t.lines.at(-1)],o=t.kind==="region"&&r>n?`${n}-${r}`:[...new Set(t.lines)].join(", "),i=Fe(t),s=t.bound>0&&i>0,l=s?` (${Math.round(100*t.bound/i)}%)`:"",a=t.kind==="region"?[]:t.lines;return p("tr",{class:`npcg-time-${t.kind}`,"data-line":a.join(" ")},p("td",{},n>0?o:""),p("td",{},t.title),p("td",{},Ft(t,e)),p("td",{},t.numpy>0?T(t.numpy):""),p("td",{},t.compiled>0?T(t.compiled):""),p("td",{},t.moves>0?R(t.moves,2):""),p("td",{},s?`${R(t.moves/i*1e6,2)}/s`:""),p("td",{},t.bound>0?`${T(t.bound)}${l}`:""))}function Fe(t){return Math.min(t.compiled||t.numpy,t.numpy||t.compiled)}function Ft(t,e){let n=[{name:"NumPy",us:t.numpy},{name:"compiled",us:t.compiled}].filter(({us:s})=>s>0),r=6*Math.max(n.length,1)+2,o=s=>Math.max(s/e*Pe,1),i=[...n,{name:"bound",us:t.bound}].filter(({us:s})=>s>0);return i.length===0?document.createTextNode(""):v("svg",{width:Pe+2,height:r,role:"img","aria-label":i.map(({name:s,us:l})=>`${s} ${T(l)}`).join(", ")},...n.map(({name:s,us:l},a)=>v("rect",{class:`npcg-time-${s.toLowerCase()}`,x:0,y:1+6*a,width:o(l),height:5})),...t.bound>0?[v("path",{class:"npcg-time-bound",d:`M${o(t.bound)},0v${r}`})]:[])}var Ht=["SVG","PNG","DOT","JSON"],U=class{constructor(e){this.search.addEventListener("input",()=>{e.type()}),this.search.addEventListener("keydown",o=>{o.key==="Enter"&&e.find(o.shiftKey?-1:1)});let n=p("select",{"aria-label":"Export",title:"Export"},p("option",{value:""},"Export"),...Ht.map(o=>p("option",{value:o},o)));n.addEventListener("change",()=>{e.take(n.value),n.value=""});let r=E("Table","",()=>{let o=r.getAttribute("aria-pressed")!=="true";r.setAttribute("aria-pressed",String(o)),e.asTable(o)});r.setAttribute("aria-pressed","false"),this.node=p("div",{class:"npcg-toolbar"},this.tabs,this.search,this.count,p("span",{class:"npcg-space"}),E("Open all","Open all groups",()=>{e.openAll()}),E("Close all","Close all groups",()=>{e.closeAll()}),E("−","Zoom out",()=>{e.zoomBy(1/1.25)}),E("+","Zoom in",()=>{e.zoomBy(1.25)}),E("Fit","Fit the width",()=>{e.fit()}),r,n)}get query(){return this.search.value}offer(e,n,r){this.tabs.replaceChildren(...e.map(({key:o,title:i})=>{let s=E(i,"",()=>{r(o)});return s.setAttribute("role","tab"),s.setAttribute("aria-selected",String(o===n)),s}))}say(e){this.count.textContent=e}focus(){this.search.focus()}node;tabs=p("div",{role:"tablist","aria-label":"Level"});search=p("input",{type:"search",placeholder:"Search","aria-label":"Search operations"});count=p("span",{class:"npcg-count","aria-live":"polite"})};var J=class{constructor(e){this.data=e;this.boxes=new Map(e.boxes.map(r=>[r.id,r])),this.groups=new Map(e.groups.map(r=>[r.id,r]));let n=[...e.groups,...e.boxes];for(let r of n.sort((o,i)=>o.at-i.at)){let o="parent"in r?r.parent:r.group,i=this.children.get(o);i===void 0?this.children.set(o,[r]):i.push(r)}}data;boxes;groups;around(e){let n=[],r=this.boxes.get(e)?.group??this.groups.get(e)?.parent??"";for(;r!=="";)n.push(r),r=this.groups.get(r)?.parent??"";return n}view(e){let n=[],r=[],o=new Map,i=a=>{r.push(a),n.push({kind:"item",item:a})},s=(a,d)=>{for(let c of this.children.get(a)??[])"parent"in c?s(c.id,d):o.set(c.id,d)},l=(a,d)=>{for(let c of this.children.get(a)??[]){let{line:g,title:u}=c,f="parent"in c?[g]:c.lines,y={depth:d,parent:a,line:g,lines:f,title:u};if("parent"in c)if(c.kind!=="break"&&e.has(c.id)){let b={group:c,depth:d};n.push({kind:"open",frame:b}),l(c.id,d+1),n.push({kind:"close",frame:b})}else{let{id:b,kind:m,detail:x}=c;i({...y,id:b,kind:m,detail:x,group:c,box:null}),s(b,b)}else{o.set(c.id,c.id);let{id:b,kind:m,detail:x}=c;i({...y,id:b,kind:m,detail:x,group:null,box:c})}}};return l("",0),{steps:n,items:r,arrows:Kt(this.data.arrows,o)}}children=new Map};function Kt(t,e){let n=new Map,r={data:0,across:1,memory:2};for(let o of t){let i=e.get(o.tail),s=e.get(o.head);if(i===void 0||s===void 0||i===s)continue;let l=`${i}
${s}`,a=n.get(l);(a===void 0||r[o.kind]<r[a.kind])&&n.set(l,{tail:i,head:s,kind:o.kind})}return[...n.values()]}var Wt=1500,He=({model:t,el:e})=>{let n=performance.now(),r=new ne(t,e);return performance.measure("npcompile:graph",{start:n}),()=>{r.end()}},ne=class{constructor(e,n){this.model=e;this.outline=X(e.get("graph")),this.detail=p("div",{class:"npcg-detail","aria-live":"polite"}),this.root=p("div",{class:"npcg",role:"group","aria-label":"Captured graph"},this.toolbar.node,this.stage.node,this.detail),n.append(this.root),this.ends=[V(e,["graph"],()=>{this.outline=X(e.get("graph")),this.levels.clear(),this.show()}),V(e,["level","expanded"],()=>{this.show()}),V(e,["selected"],()=>{this.mark()}),this.links.follow()],this.show(),requestAnimationFrame(()=>{this.stage.fit()})}model;end(){for(let e of this.ends)e();this.root.remove()}choices(){let{levels:e,timing:n}=this.outline;return n.rows.length>0?[...e,{key:D,title:"Timing"}]:e}level(){let e=h(this.model.get("level")),n=this.outline.levels.find(o=>o.key===e)??this.outline.levels[0];if(n===void 0)return null;let r=this.levels.get(n.key)??new J(n);return this.levels.set(n.key,r),r}open(){return new Set(I(this.model.get("expanded")).map(h))}show(){let e=this.level(),n=h(this.model.get("level"))===D;this.root.classList.toggle("npcg-times",n);let r=n?D:e?.data.key??"";if(this.toolbar.offer(this.choices(),r,a=>{this.model.set("level",a),this.model.save_changes()}),n){let a=Ce(this.outline.timing);a.addEventListener("mouseover",d=>{this.links.tell(d.target)}),a.addEventListener("mouseleave",()=>{this.links.tell(null)}),this.stage.put(a),this.describe("");return}if(e===null){this.stage.put(p("p",{},"Nothing was captured."));return}if(this.isTable){this.stage.put(je(e,a=>{this.select(a)})),this.mark();return}let o=this.stage.node.contains(document.activeElement);this.view=e.view(this.open());let i=Te(this.view),s=`Captured graph, ${e.data.title} level, ${e.data.boxes.length} operations, inputs and outputs`,l=ye(this.view,i,s);this.listen(l),this.stage.draw(l),e.data.key!==this.fitted&&(this.fitted=e.data.key,this.stage.fit()),this.mark(),o&&this.focusOn(this.current)}listen(e){e.addEventListener("click",n=>{let r=n.target.closest("[data-id]");if(r===null||this.stage.dragged)return;let o=r.getAttribute("data-id")??"";this.current=o;let i=n.target.closest("text")!==null;(r.classList.contains("npcg-frame")?i:this.isGroup(o))?this.toggle(o):r.classList.contains("npcg-frame")||this.select(o)}),e.addEventListener("keydown",n=>{ke(n,this.walker)&&(n.preventDefault(),n.stopPropagation())}),e.addEventListener("mouseover",n=>{this.links.tell(n.target)}),e.addEventListener("mouseleave",()=>{this.links.tell(null)}),e.addEventListener("focusin",n=>{this.links.tell(n.target)})}isGroup(e){let n=this.level()?.groups.get(e);return n!==void 0&&n.kind!=="break"}toggle(e){let n=this.open();n.delete(e)||n.add(e),this.current=e,this.setOpen([...n])}setOpen(e){this.model.set("expanded",[...e]),this.model.save_changes()}openAll(){let e=this.level();if(e===null)return;let n=new Set;for(let r of e.data.groups)if(e.around(r.id).every(o=>n.has(o))&&(n.add(r.id),e.view(n).items.length>Wt)){n.delete(r.id);break}this.setOpen([...n])}select(e){this.current=e,this.model.set("selected",e),this.model.save_changes()}find(e){let n=this.level(),r=n===null?[]:Be(n,this.toolbar.query);if(n===null||r.length===0){let i=this.toolbar.query.trim()!=="";this.toolbar.say(i?"not found":"");return}this.found=(this.found+e+r.length)%r.length,this.toolbar.say(`${this.found+1} of ${r.length}`);let o=r[this.found]??"";this.setOpen([...new Set([...this.open(),...n.around(o)])]),this.select(o),this.stage.element(o)?.scrollIntoView({block:"nearest"})}take(e){let n=this.level();if(n===null||e==="")return;let{drawing:r}=this.stage;xe(e,n.data,n.view(this.open()),r,o=>{this.toolbar.say(o)})}focusOn(e){this.current=e;let n=this.stage.element(e);n instanceof SVGElement&&(this.stage.reach(n),n.focus(),n.scrollIntoView({block:"nearest",inline:"nearest"}))}mark(){let e=h(this.model.get("selected"));for(let r of this.stage.all(".npcg-selected"))r.classList.remove("npcg-selected"),r.hasAttribute("role")&&r.setAttribute("aria-selected","false");let n=e===""?null:this.stage.element(e);n?.classList.add("npcg-selected"),n?.hasAttribute("role")&&n.setAttribute("aria-selected","true");for(let r of this.stage.all(".npcg-arrow")){let o=[r.getAttribute("data-tail"),r.getAttribute("data-head")];r.classList.toggle("npcg-selected",e!==""&&o.includes(e))}if(this.stage.drawing!==null){let r=n??this.stage.drawing.querySelector("[data-id]");r!==null&&(this.stage.reach(r),this.current||=r.getAttribute("data-id")??"")}this.describe(e)}describe(e){let n=this.level(),r=n===null?null:fe(n,e,o=>{this.setOpen([...new Set([...this.open(),...n.around(o)])]),this.select(o),this.stage.element(o)?.scrollIntoView({block:"nearest"})});this.detail.replaceChildren(...r??[p("span",{class:"npcg-quiet"},this.outline.summary)])}walker={here:()=>this.current,reading:()=>(this.view?.steps??[]).flatMap(e=>e.kind==="open"?[e.frame.group.id]:e.kind==="item"?[e.item.id]:[]),reader:e=>this.view?.arrows.find(n=>n.tail===e)?.head,parent:e=>this.level()?.around(e)[0],isOpen:e=>this.open().has(e),isGroup:e=>this.isGroup(e),go:e=>{this.focusOn(e)},toggle:e=>{this.toggle(e)},select:e=>{this.select(e)},zoomBy:e=>{this.stage.zoomBy(e)},fit:()=>{this.stage.fit()},search:()=>{this.toolbar.focus()}};outline;levels=new Map;root;stage=new q;links=new _(this.stage,()=>this.outline.source);detail;ends;toolbar=new U({type:()=>{this.found=0,this.find(0)},find:e=>{this.find(e)},openAll:()=>{this.openAll()},closeAll:()=>{this.setOpen([])},zoomBy:e=>{this.stage.zoomBy(e)},fit:()=>{this.stage.fit()},asTable:e=>{this.isTable=e,this.show()},take:e=>{this.take(e)}});view=null;current="";found=0;fitted="";isTable=!1};var Ke=`.npcg {
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
.npcg-table td:nth-child(n + 5) {
  white-space: nowrap;
}
.npcg-figures th:nth-child(n + 3),
.npcg-figures td:nth-child(n + 3) {
  font-family: inherit;
  font-variant-numeric: tabular-nums;
  text-align: right;
  white-space: nowrap;
}
.npcg-figures td:nth-child(1) {
  text-align: left;
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
.npcg-frame {
  fill: none;
  stroke: var(--npcg-rule);
  pointer-events: none;
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

/* As far as the largest of several runs; the smallest lies over it. */
.npcg-most {
  fill-opacity: 0.4;
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
.npcg-timing tbody tr {
  cursor: default;
}
.npcg-timing tbody tr:hover td {
  background: var(--npcg-tint);
}
.npcg-timing td:nth-child(n + 4),
.npcg-timing th:nth-child(n + 4) {
  text-align: right;
  font-variant-numeric: tabular-nums;
  white-space: nowrap;
}
.npcg-timing td:nth-child(3) {
  white-space: nowrap;
}
.npcg-timing .npcg-time-region td {
  font-weight: 600;
  border-top: 1px solid var(--npcg-rule);
}
.npcg-timing .npcg-time-line td:nth-child(2),
.npcg-timing .npcg-time-kernel td:nth-child(2) {
  font-family: var(--npcg-mono);
  padding-left: 26px;
}
.npcg-timing .npcg-time-kernel td:nth-child(2)::before {
  content: '▪ ';
  color: var(--npcg-good);
}
.npcg-timing p {
  padding: 4px 10px 8px;
  margin: 0;
}
.npcg-timing rect.npcg-time-numpy {
  fill: var(--npcg-part);
}
.npcg-timing rect.npcg-time-compiled {
  fill: var(--npcg-good);
}
.npcg-timing path.npcg-time-bound {
  stroke: var(--npcg-text);
  stroke-width: 1.5;
}
.npcg-times .npcg-toolbar > :not([role='tablist']) {
  display: none;
}
.npcg-timing td,
.npcg-timing th {
  padding: 3px 6px;
}
`;var qt={graph:He,gradients:ue};function nr(t,e){let n=qt[t];if(n===void 0)throw new Error(`jupyter-npcompile has no view ${t}`);let r=p("style",{},Ke);e.el.append(r);let o=n(e);return()=>{o(),r.remove()}}export{nr as show};

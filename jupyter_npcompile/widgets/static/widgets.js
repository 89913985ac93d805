var We="http://www.w3.org/2000/svg";function p(t,e={},...n){let r=document.createElement(t);return re(r,e),r.append(...n),r}function y(t,e={},...n){let r=document.createElementNS(We,t);return re(r,e),r.append(...n),r}function re(t,e){for(let[n,r]of Object.entries(e))r!==!1&&t.setAttribute(n,r===!0?"":String(r))}function M(t,e,n){let r=p("button",{type:"button",title:e},t);return e!==""&&r.setAttribute("aria-label",e),r.addEventListener("click",n),r}var z=240,F=96,oe=["","6 3","2 3","8 3 2 3"];function Y(t,e,n){return n<=e||e<2?t:Math.floor(t*(n-1)/(e-1))}function ie(t,e,n){let r=Math.max(1,...t.map(l=>l.length)),o=Math.max(...t.flat().filter(Number.isFinite).map(Math.abs),Number.MIN_VALUE),s=z/r,i=Math.min(s,168/t.length),a=t.flatMap((l,d)=>l.map((c,u)=>{let g=[Y(d,t.length,e[0]),Y(u,l.length,e[1])],h=Number.isFinite(c);return y("rect",{x:u*s,y:d*i,width:s,height:i,class:h?c<0?"npcg-below":"npcg-above":"npcg-fault",...h?{"fill-opacity":(Math.abs(c)/o).toFixed(3)}:{}},y("title",{},`[${g.join(", ")}]: ${c}`))}));return H(n,t.length*i,a)}function se(t,e,n,r){let o=Math.max(1,...t),s=z/t.length,i=(n-e)/t.length,a=t.map((l,d)=>{let c=Math.max(44*l/o,.5),u=(e+d*i).toPrecision(4),g=(e+(d+1)*i).toPrecision(4);return y("rect",{class:"npcg-bar",x:d*s,y:44-c,width:s,height:c},y("title",{},`${l} from ${u} to ${g}`))});return H(r,44,a)}function Z(t,e,n=0){let r=t.flatMap(d=>d.values).filter(Number.isFinite),o=Math.min(0,...r),s=Math.max(0,...r),i=(F-12)/(s-o||1),a=d=>F-6-(d-o)*i,l=[y("line",{class:"npcg-zero",x1:0,x2:z,y1:a(0),y2:a(0)})];return t.forEach(({title:d,chosen:c,values:u},g)=>{let h=z/Math.max(u.length,1),v="";u.forEach((b,m)=>{let x=(m+.5)*h;if(Number.isFinite(b)){let $=Number.isFinite(u[m-1]??NaN);v+=`${$?"L":"M"}${x.toFixed(1)},${a(b).toFixed(1)}`}let k=Number.isFinite(b)?y("circle",{cx:x,cy:a(b),r:Math.min(2.2,h/2)}):y("text",{class:"npcg-fault",x:x-3,y:F-8},"✕");k.append(y("title",{},`${d}, ${Y(m,u.length,n)}: ${b}`)),l.push(k)}),l.push(y("path",{class:`npcg-series${c?" npcg-selected":""}`,d:v,"stroke-dasharray":c?"":oe[g%oe.length]??""}))}),H(e,F,l)}function ae(t,e){let[n,r,o]=[15,200,240],s=t.map(({value:d})=>d).filter(d=>d>0&&d<1/0),i=Math.log10(Math.max(...s,Number.MIN_VALUE)),a=Math.min(Math.log10(Math.min(...s,1/0)),i-1)-.5,l=t.flatMap(({label:d,value:c,fault:u},g)=>{let h=c>0?(Math.log10(c)-a)/(i-a):0,v=Number.isFinite(h)?Math.max(0,h)*o:o,b=`${u?"✕ ":""}${Number(c.toPrecision(3))}`;return[y("text",{x:0,y:g*n+11},d.slice(0,32)),y("rect",{class:u?"npcg-fault":"npcg-bar",x:r,y:g*n+2,width:Math.max(v,1),height:n-5}),y("text",{x:r+v+5,y:g*n+11},b)]});return H(e,t.length*n,l,r+o+70)}function H(t,e,n,r=z){return y("svg",{class:"npcg-chart",viewBox:`0 0 ${r} ${Math.max(e,1)}`,width:r,height:Math.max(e,1),role:"img","aria-label":t},...n)}var Ke=["data","memory","across"];function X(t){let e=E(t);return{source:f(e.source),summary:f(e.summary),levels:I(e.levels).map(_e),timing:qe(e.timing)}}function qe(t){let e=E(t);return{bandwidth:w(e.bandwidth),note:f(e.note),rows:I(e.rows).map(n=>Q(n,De))}}function _e(t){let e=E(t),n=new Set([""]),r=[];for(let i of I(e.groups).map(a=>Q(a,Ue)))i.id!==""&&!n.has(i.id)&&n.has(i.parent)&&(n.add(i.id),r.push(i));let o=I(e.boxes).map(Ye).filter(i=>n.has(i.group)),s=new Set(o.map(i=>i.id));return{key:f(e.key),title:f(e.title),groups:r,boxes:o,arrows:I(e.arrows).flatMap(i=>{let[a,l,d]=I(i);return s.has(f(a))&&s.has(f(l))?[{tail:f(a),head:f(l),kind:Ke[w(d)]??"data"}]:[]})}}var De={kind:f,lines:le,title:f,numpy:w,compiled:w,bound:w,moves:w},Ue={id:f,parent:f,kind:f,title:f,detail:f,hint:f,time:f,line:w,end:w,at:w},Je={id:f,kind:f,title:f,detail:f,text:f,line:w,lines:le,fuses:Ze,moves:w,dtype:f,shape:f,bytes:w,flops:t=>typeof t=="number"?w(t):null,rule:f,us:w,group:f,at:w};function Ye(t){let e=Q(t,Je);return e.lines.length>0?e:{...e,lines:[e.line]}}function Q(t,e){let n=E(t),r={};for(let o in e)r[o]=e[o](n[o]);return r}function E(t){return typeof t=="object"&&t!==null?t:{}}function I(t){return Array.isArray(t)?t:[]}function f(t){return typeof t=="string"?t:""}function w(t){return typeof t=="number"&&Number.isFinite(t)?t:0}function le(t){return I(t).map(w)}function Ze(t){return I(t).map(f)}function de(t){let e=E(t),n=I(e.nodes).map(o=>{let s=E(o),i=s.finite_value===!1,a=s.finite_gradient===!1;return{op:f(s.op),line:w(E(s.position).line),norm:N(s.norm),value:i,fault:i||a}}),r=n.find(o=>o.value)??[...n].reverse().find(o=>o.fault);return{variables:I(e.variables).map(Qe),nodes:n,notes:[...Xe(e),...I(e.notes).map(o=>{let[s,i]=I(o);return`Line ${w(E(s).line)}: ${f(i)}`})],check:f(e.check),first:r===void 0?"":`✕ NaN or infinity first in the ${r.value?"result":"gradient"} of ${r.op}, line ${r.line}`}}function Xe(t){let e=f(t.note),n=f(t.device);return[...e===""?[]:[`${e.charAt(0).toUpperCase()}${e.slice(1)}.`],...n===""||n==="cpu"?[]:[`Computed on ${n}.`]]}function pe(t){return I(t).map(e=>new Map(Object.entries(E(e)).map(([n,r])=>[n,N(r)])))}function Qe(t){let e=E(t),n=f(e.output),r=f(e.name);return{key:`${n}/${r}`,name:r,title:`d ${n} / d ${r}`,value:ce(e.value),gradient:ce(e.gradient)}}function ce(t){let e=E(t);return{dtype:f(e.dtype),shape:I(e.shape).map(w),rows:I(e.rows).map(n=>I(n).map(N)),low:N(e.low),high:N(e.high),norm:N(e.norm),zeros:w(e.zeros),nonfinite:w(e.nonfinite),histogram:I(e.histogram).map(w)}}function N(t){return t==="inf"?1/0:t==="-inf"?-1/0:typeof t=="number"?t:NaN}function O(t,e,n){for(let r of e)t.on(`change:${r}`,n);return()=>{for(let r of e)t.off(`change:${r}`,n)}}var et=60,ue=({model:t,el:e})=>{let n=p("div",{class:"npcg",role:"group","aria-label":"Gradients"}),r=!1,o=()=>{let i=de(t.get("gradients")),a=M("Table","",()=>{r=!r,o()});a.setAttribute("aria-pressed",String(r)),n.replaceChildren(p("div",{class:"npcg-toolbar"},tt(i.check),p("span",{class:"npcg-space"}),a),p("div",{class:"npcg-stage npcg-cards",tabindex:0},...r?[it(i)]:nt(i,t)))},s=O(t,["gradients","history","selected"],o);return e.append(n),o(),()=>{s(),n.remove()}};function tt(t){let e=t.startsWith("agrees");return p("span",{class:`npcg-badge${e?" npcg-agrees":""}`},`${e?"✓":"○"} Check against NumPy: ${t}`)}function nt(t,e){let n=f(e.get("selected")),o=[...t.variables.map(i=>{let a=p("section",{class:`npcg-card${i.key===n?" npcg-chosen":""}`,"aria-label":i.title}),l=M(i.title,"",()=>{e.set("selected",i.key),e.save_changes()});return l.setAttribute("aria-pressed",String(i.key===n)),a.append(l,p("span",{class:"npcg-quiet"},` ${me(i.value)}`),p("div",{class:"npcg-pair"},ge("Value",i,i.value),ge("Gradient",i,i.gradient))),a})],s=pe(e.get("history"));if(s.length>1&&t.variables.length>0){let i=t.variables.map(({key:a,title:l})=>({title:l,chosen:a===n,values:s.map(d=>d.get(a)??NaN)}));o.push(p("section",{class:"npcg-card","aria-label":"History"},p("b",{},`Norm of each gradient over ${s.length} runs`),Z(i,"Norms over the runs")))}if(t.nodes.length>0){let i=t.nodes.slice(-et);o.push(p("section",{class:"npcg-card","aria-label":"Along the lines"},p("b",{},"Norm of the gradient along the lines"),p("span",{class:"npcg-quiet"},` ${t.first}`),ae(i.map(a=>({label:`${a.line>0?`${a.line}  `:""}${a.op}`,value:a.norm,fault:a.fault})),"Norm of the gradient at each operation")))}for(let i of t.notes)o.push(p("p",{},i));return o.length===0&&o.push(p("p",{},"No gradients.")),o}function ge(t,e,n){let r=`${t} of ${e.name}`,o=n.shape.length===0?p("div",{class:"npcg-single"},G(n.rows[0]?.[0]??NaN)):n.rows.length===1?Z([{title:r,chosen:!0,values:n.rows[0]??[]}],r,n.shape.at(-1)):ie(n.rows,rt(n.shape),r),s=n.histogram;return p("figure",{},p("figcaption",{},t),o,p("div",{class:"npcg-quiet"},ot(n)),...s.length>0?[se(s,n.low,n.high,`Histogram of ${r}`)]:[])}function rt(t){return[t.slice(0,-1).reduce((n,r)=>n*r,1),t.at(-1)??1]}function me({dtype:t,shape:e}){return`${t}${e.length>0?`[${e.join(", ")}]`:""}`}function ot(t){let e=[`norm ${G(t.norm)}`];return t.shape.length>0&&e.push(`${G(t.low)} to ${G(t.high)}`),t.zeros>0&&e.push(`${Math.round(t.zeros*100)} % zero`),t.nonfinite>0&&e.push(`✕ ${t.nonfinite} NaN or infinite`),e.join(" · ")}function it(t){return p("div",{class:"npcg-table"},p("table",{},p("thead",{},p("tr",{},...["Gradient","dtype","Norm","Lowest","Highest","Zero","Not finite"].map(n=>p("th",{scope:"col"},n)))),p("tbody",{},...t.variables.map(({title:n,gradient:r})=>p("tr",{},...[n,me(r),G(r.norm),G(r.low),G(r.high),`${Math.round(r.zeros*100)} %`,String(r.nonfinite)].map(o=>p("td",{},o)))))))}function G(t){return Number.isFinite(t)?Number(t.toPrecision(4)).toString():String(t)}function S(t){let[e,n]=t<999.5?[t,"µs"]:t<999500?[t/1e3,"ms"]:[t/1e6,"s"];return`${e>=9.95?e.toFixed(0):e.toPrecision(2)} ${n}`}var st=new Set(["operation","view","write"]),at=12;function fe(t,e,n){let r=t.boxes.get(e),o=t.groups.get(e),s=[],i;if(r!==void 0){let a=t.data.arrows.filter(d=>d.head===e),l=t.data.arrows.filter(d=>d.tail===e);i=r.text,s.push([r.lines.length>1?"Lines":"Line",r.line>0?r.lines.join(", "):"–"],...r.fuses.length>0?[["Computes",r.fuses.join(", ")]]:[],...r.moves>0?[["Moves",j(r.moves)]]:[],["dtype",r.dtype||"–"],["Shape",r.shape||"–"],["Memory",r.bytes>0?j(r.bytes):"–"],...st.has(r.kind)?[["FLOPs",lt(r)],["Time",ct(t,r)]]:[],["Reads",he(t,a.map(d=>d.tail),n)],["Read by",he(t,l.map(d=>d.head),n)])}else if(o?.kind==="break")i=`✕ Break point: ${o.title}`,s.push(["Line",String(o.line)],["Hint",o.hint||"–"]);else return null;return[p("code",{},i),p("dl",{},...s.map(([a,l])=>p("div",{},p("dt",{},a),p("dd",{},l))))]}function lt(t){if(t.flops===null)return"unknown";let e=t.flops.toLocaleString("en");return t.rule===""?e:`${e} (${t.rule})`}function ct(t,e){return e.us>0?t.data.key==="numpy"?`${S(e.us)} in NumPy, by itself`:`${S(e.us)}, by itself`:t.around(e.id).map(r=>t.groups.get(r)?.time).find(r=>!!r)??"not measured"}function he(t,e,n){if(e.length===0)return"–";let r=e.slice(0,at).map(s=>M(t.boxes.get(s)?.title??s,"",()=>{n(s)})),o=e.length-r.length;return p("span",{},...r,o>0?` and ${o} more`:"")}function j(t){let e=["B","kB","MB","GB","TB"],n=0,r=t;for(;r>=1e3&&n<e.length-1;)r/=1e3,n+=1;return`${n===0||r>=100?r.toFixed(0):r.toPrecision(3)} ${e[n]??""}`}var be=5;function ye(t,e,n){let{width:r,height:o}=e,s=new Map(t.items.map((i,a)=>[i.id,a+1]));return y("svg",{class:"npcg-svg",viewBox:`0 0 ${Math.ceil(r)} ${Math.ceil(o)}`,role:"tree","aria-label":n},y("g",{role:"presentation"},...e.frames.map(({frame:i,place:a})=>dt(i,a))),y("g",{role:"presentation"},...e.routes.map(ut)),y("g",{role:"presentation"},...t.items.map(i=>pt(i,e.boxes.get(i.id),s.get(i.id)??0))))}function dt(t,e){let{group:n,depth:r}=t,{x:o,y:s,width:i,height:a}=e,l=n.line>0?`line ${n.line}`:"";return y("g",{class:`npcg-frame npcg-${n.kind}`,"data-id":n.id,"data-line":n.line,role:"treeitem","aria-level":r+1,"aria-expanded":"true","aria-selected":"false",tabindex:-1},y("title",{},[n.kind,l,n.title,n.detail].filter(d=>d!=="").join(", ")),y("rect",{x:o,y:s,width:i,height:a,rx:6}),y("text",{x:o+10,y:s+16},y("tspan",{class:"npcg-fold"},"▾ "),...n.line>0?[y("tspan",{class:"npcg-number"},`${n.line}  `)]:[],y("tspan",{class:"npcg-heading"},n.title),y("tspan",{class:"npcg-quiet"},`   ${n.detail}`)))}function pt(t,e,n){let{x:r,y:o,width:s,height:i}=e??{x:0,y:0,width:0,height:0},a=r+s/2,l=t.kind==="break"?t.group?.hint??"":"",d=t.kind==="break"?l&&`→ ${l}`:t.detail,c=t.group!==null&&t.kind!=="break",u=t.kind==="input"||t.kind==="output";return y("g",{class:`npcg-item npcg-${t.kind}${c?" npcg-closed":""}`,"data-id":t.id,"data-line":t.lines.join(" "),role:"treeitem","aria-level":t.depth+1,"aria-posinset":n,"aria-selected":"false",...c?{"aria-expanded":"false"}:{},tabindex:-1},y("title",{},gt(t)),y("rect",{x:r,y:o,width:s,height:i,rx:u?i/2:4}),y("text",{x:a,y:o+(d?i/2-2:i/2+4)},...c?[y("tspan",{class:"npcg-fold"},"▸ ")]:[],...c&&t.line>0?[y("tspan",{class:"npcg-number"},`${t.line}  `)]:[],t.kind==="break"?`✕ ${t.title}`:t.title),...d?[y("text",{class:"npcg-quiet",x:a,y:o+i/2+12},d)]:[])}function gt(t){let e=t.line>0?`line ${t.line}: `:"";if(t.kind==="break"){let n=t.group?.hint??"";return`Break point, ${e}${t.title}${n&&` → ${n}`}`}return t.box!==null?`${e}${t.box.text}`:`${t.kind}, ${e}${t.title}, ${t.detail}`}function ut(t){let[e,...n]=t.points;if(e===void 0||n.length===0)return y("path");let[r,o]=e,i=(n.at(-1)??e)[1]>=o?1:-1,a=`M${R(r)},${R(o)}`;return n.forEach(([l,d],c)=>{let u=c===n.length-1?d-i*be:d,g=(u-o)/2;a+=`C${R(r)},${R(o+g)} ${R(l)},${R(u-g)} ${R(l)},${R(u)}`,[r,o]=[l,u]}),a+=`m-2.4,0h4.8l-2.4,${i*be}z`,y("path",{class:`npcg-arrow npcg-${t.kind}`,"data-tail":t.tail,"data-head":t.head,d:a})}function R(t){return t.toFixed(1)}var mt=["fill","fill-opacity","stroke","stroke-width","stroke-dasharray","font-family","font-size","font-weight","text-anchor","opacity"];function ve(t){let e=t.cloneNode(!0),n=[t,...t.querySelectorAll("*")],r=[e,...e.querySelectorAll("*")];n.forEach((i,a)=>{let l=getComputedStyle(i),d=r[a];for(let c of mt)d?.setAttribute(c,l.getPropertyValue(c));d?.removeAttribute("tabindex"),d?.removeAttribute("style")});let{width:o,height:s}=t.viewBox.baseVal;return e.setAttribute("width",String(o)),e.setAttribute("height",String(s)),e.setAttribute("role","img"),new XMLSerializer().serializeToString(e)}async function ht(t){let e=new Image,n=`data:image/svg+xml;charset=utf-8,${encodeURIComponent(ve(t))}`;await new Promise((a,l)=>{e.onload=()=>{a()},e.onerror=()=>{l(new Error("the drawing is too large for a picture"))},e.src=n});let r=document.createElement("canvas"),o=Math.min(2,16e3/Math.max(e.width,e.height));r.width=e.width*o,r.height=e.height*o;let s=r.getContext("2d"),i=getComputedStyle(t).getPropertyValue("--npcg-back").trim();if(s===null)throw new Error("this browser draws no pictures");return s.fillStyle=i===""?"#fff":i,s.fillRect(0,0,r.width,r.height),s.drawImage(e,0,0,r.width,r.height),new Promise((a,l)=>{r.toBlob(d=>{d===null?l(new Error("the drawing is too large for a picture")):a(d)})})}function ft(t){let e=["digraph captured {","  node [shape=box, fontname=Courier]"],n=1,r=o=>{e.push("  ".repeat(n)+o)};for(let o of t.steps)if(o.kind==="open")r(`subgraph ${V(`cluster ${o.frame.group.id}`)} {`),n+=1,r(`label=${V(o.frame.group.title)}`);else if(o.kind==="close")n-=1,r("}");else{let{id:s,title:i,detail:a}=o.item;r(`${V(s)} [label=${V(a===""?i:`${i}
${a}`)}]`)}for(let{tail:o,head:s,kind:i}of t.arrows){let a=i==="data"?"":" [style=dashed]";e.push(`  ${V(o)} -> ${V(s)}${a}`)}return[...e,"}",""].join(`
`)}function V(t){return`"${t.replaceAll("\\","\\\\").replaceAll('"','\\"').replaceAll(`
`,"\\n")}"`}function bt(t){return JSON.stringify(t,null,1)}function W(t,e){let n=typeof e=="string"?new Blob([e]):e,r=URL.createObjectURL(n),o=document.createElement("a");o.href=r,o.download=t,o.click(),setTimeout(()=>{URL.revokeObjectURL(r)},1e3)}function xe(t,e,n,r,o){let s=`graph-${e.key}.${t.toLowerCase()}`;t==="JSON"?W(s,bt(e)):t==="DOT"?W(s,ft(n)):r===null?o("leave the table to export a picture"):t==="SVG"?W(s,ve(r)):ht(r).then(i=>{W(s,i)},i=>{o(String(i))})}var yt={ArrowDown:t=>{ee(t,1)},ArrowUp:t=>{ee(t,-1)},Home:t=>{P(t,t.reading()[0])},End:t=>{P(t,t.reading().at(-1))},ArrowRight:t=>{let e=t.here();t.isGroup(e)&&!t.isOpen(e)?t.toggle(e):t.isOpen(e)?ee(t,1):P(t,t.reader(e))},ArrowLeft:t=>{let e=t.here();t.isOpen(e)?t.toggle(e):P(t,t.parent(e))},Enter:we," ":we,Escape:t=>{t.select("")},"+":t=>{t.zoomBy(1.25)},"=":t=>{t.zoomBy(1.25)},"-":t=>{t.zoomBy(.8)},0:t=>{t.fit()},"/":t=>{t.search()}};function ke(t,e){let n=yt[t.key];return n===void 0||t.ctrlKey||t.metaKey||t.altKey?!1:(n(e),!0)}function ee(t,e){let n=t.reading(),r=n.indexOf(t.here())+e;P(t,n[Math.max(0,Math.min(n.length-1,r))])}function P(t,e){e!==void 0&&t.go(e)}function we(t){let e=t.here();t.isGroup(e)?t.toggle(e):t.select(e)}function Me(t,e,n){let r=(o,s,i)=>{let a=Ie(s),l=Ie(o),d=new Map(o.map(c=>{let u=(i.get(c)??[]).flatMap(v=>a.get(v)??[]),g=u.reduce((v,b)=>v+b,0),h=u.length>0?g/u.length:l.get(c);return[c,h??0]}));o.sort((c,u)=>(d.get(c)??0)-(d.get(u)??0))};for(let o=0;o<4;o+=1){for(let s=1;s<t.length;s+=1)r(t[s]??[],t[s-1]??[],e);for(let s=t.length-2;s>=0;s-=1)r(t[s]??[],t[s+1]??[],n)}}function Ie(t){let e=Math.max(t.length-1,1);return new Map(t.map((n,r)=>[n,r/e]))}function $e(t,e,n,r){let o=new Map,s=c=>r.get(c)?.[0]??0,i=t.map(c=>{let u=[],g=0;return c.forEach((h,v)=>{v>0&&(g+=(s(c[v-1]??"")+s(h))/2+18),u.push(g)}),u});t.forEach((c,u)=>{let g=i[u]??[],h=(g.at(-1)??0)/2;c.forEach((v,b)=>o.set(v,(g[b]??0)-h))});let a=(c,u)=>{let g=t[c]??[],h=i[c]??[],v=[],b=[];g.forEach((m,x)=>{let k=u(m),$=k.reduce((A,T)=>A+(o.get(T)??0),0),L=k.length>0?$/k.length:o.get(m)??0;v.push(L-(h[x]??0)),b.push((k.length||.1)*(s(m)<24?4:1))}),vt(v,b).forEach((m,x)=>o.set(g[x]??"",m+(h[x]??0)))},l=c=>e.get(c)??[],d=c=>n.get(c)??[];for(let c=0;c<4;c+=1){for(let u=0;u<t.length;u+=1)a(u,l);for(let u=t.length-1;u>=0;u-=1)a(u,d);for(let u=0;u<t.length;u+=1)a(u,g=>[...l(g),...d(g)])}return o}function vt(t,e){let n=[];return t.forEach((r,o)=>{let s=r,i=e[o]??1,a=1;for(let l=n.at(-1);l!==void 0&&l[0]>s;l=n.at(-1))s=(s*i+l[0]*l[1])/(i+l[1]),i+=l[1],a+=l[2],n.pop();n.push([s,i,a])}),n.flatMap(([r,,o])=>Array(o).fill(r))}var xt=6.9,wt=5.7,kt=24,Ee=12,It=26,Ae=24,C=8,Se=10,Mt=4e3;function Te(t){let e=new Map;for(let c of t.items)e.set(c.id,Re(c));let{rows:n,rowOf:r,bands:o}=$t(t),s=Et(t.arrows,n,r,e),i=new Map,a=new Map;for(let c of new Set([...s.values()].flatMap(St))){let[u,g]=c.split(`
`);te(a,u,g),te(i,g,u)}let l=n.map(c=>c.members);Me(l,i,a);let d=$e(l,i,a,e);return Lt(t,n,o,d,e,s)}function Re(t){let e=t.line>0&&t.group!==null?6:0,n=t.kind==="break"?[`✕  ${t.title}`]:[t.title],r=Math.max(...n.map(K))+e,o=K(t.kind==="break"?`→ ${t.group?.hint??""}`:t.detail),s=Math.max(r*xt,o*wt,26),i=t.kind==="break"?t.group?.hint!=="":t.detail;return[s+kt,i?38:26]}function K(t){let e=0;for(let n of t)e+=/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(n)?2:1;return e}function $t(t){let e=new Map;for(let{tail:g,head:h}of t.arrows)te(e,h,g);let n=[],r=new Map,o=[],s=[],i=C,a=[],l=(g,h)=>{let v=Math.max(...h);for(let b of g)r.set(b,n.length);n.push({members:g,y:i+v/2,height:v}),i+=v+It},d=()=>{let g=new Map,h=[];for(let v of a){let b=Math.max(0,...(e.get(v)??[]).map(m=>(g.get(m)??-1)+1));g.set(v,b),(h[b]??=[]).push(v)}for(let v of h)for(let b=0;b<v.length;b+=Se){let m=v.slice(b,b+Se);l(m,m.map(x=>c.get(x)??26))}a=[]},c=new Map(t.items.map(g=>[g.id,Re(g)[1]])),u="";for(let g of t.steps){if(g.kind==="item"&&g.item.group===null){let h=g.item.kind==="input"||g.item.kind==="output"?g.item.kind:"operation";a.length>0&&h!==u&&d(),u=h,a.push(g.item.id);continue}if(d(),g.kind==="item")l([g.item.id],[c.get(g.item.id)??26]);else if(g.kind==="open"){let h={frame:g.frame,first:n.length,last:n.length};s.push(h),o.push(h),i+=Ae}else{let h=s.pop();h!==void 0&&(h.last=n.length-1),i+=8}}return d(),{rows:n,rowOf:r,bands:o}}function Et(t,e,n,r){let o=Mt,s=new Map,i=t.map(({tail:a,head:l})=>{let d=n.get(a)??0,c=n.get(l)??0;return{tail:a,head:l,from:d,to:c}}).sort((a,l)=>Math.abs(a.to-a.from)-Math.abs(l.to-l.from));for(let{tail:a,head:l,from:d,to:c}of i){let[u,g]=d<=c?[a,l]:[l,a],h=[];for(let v=Math.min(d,c)+1;v<Math.max(d,c);v+=1){let b=`${u}|${v}`;if(!r.has(b)){if(o<=0){h.length=0;break}o-=1,r.set(b,[2,0]),e[v]?.members.push(b)}h.push(b)}s.set(`${a}
${l}`,[u,...h,g])}return s}function St(t){return t.slice(1).map((e,n)=>`${t[n]??""}
${e}`)}function Lt(t,e,n,r,o,s){let i=Math.max(0,...n.map(m=>m.frame.depth+1)),a=0,l=0;for(let[m,x]of r){let k=(o.get(m)?.[0]??0)/2;a=Math.min(a,x-k),l=Math.max(l,x+k)}for(let{frame:m}of n){let{title:x,detail:k}=m.group,$=(K(x)+K(k)+10)*6.6;l=Math.max(l,a+$)}let d=C+i*Ee,c=d-a,u=l-a+2*d,g=new Map;for(let m of e)for(let x of m.members)g.set(x,m.y);let h=new Map;for(let m of t.items){let[x,k]=o.get(m.id)??[0,0];h.set(m.id,{x:(r.get(m.id)??0)+c-x/2,y:(g.get(m.id)??0)-k/2,width:x,height:k})}let v=n.flatMap(m=>{let x=e[m.first],k=e[m.last];if(x===void 0||k===void 0||m.last<m.first)return[];let $=Le(n,m,"first"),L=Le(n,m,"last"),A=x.y-x.height/2-Ae*(1+$)-2,T=k.y+k.height/2+8*(1+L),B=C+m.frame.depth*Ee;return[{frame:m.frame,place:{x:B,y:A,width:u-2*B,height:T-A}}]}),b=Math.max(C,...v.map(({place:m})=>m.y+m.height),...[...h.values()].map(m=>m.y+m.height));return{width:u,height:b+C,boxes:h,frames:v,routes:t.arrows.map(({tail:m,head:x,kind:k})=>{let $=s.get(`${m}
${x}`)??[m,x],L=h.get($[0]??""),A=h.get($.at(-1)??""),T=$.slice(1,-1).map(B=>[(r.get(B)??0)+c,g.get(B)??0]);return L!==void 0&&A!==void 0&&(T.unshift([L.x+L.width/2,L.y+L.height]),T.push([A.x+A.width/2,A.y])),{tail:m,head:x,kind:k,points:$[0]===m?T:T.reverse()}})}}function Le(t,e,n){let r=t.filter(o=>o[n]===e[n]&&o.frame.depth>e.frame.depth&&o.first>=e.first&&o.last<=e.last).map(o=>o.frame.depth-e.frame.depth);return Math.max(0,...r)}function te(t,e,n){let r=t.get(e);r===void 0?t.set(e,[n]):r.push(n)}var Ge="npcompile:line-of-node",Ne="npcompile:line-of-editor";function Oe(t,e){window.dispatchEvent(new CustomEvent(t,{detail:e}))}function Ve(t,e){let n=r=>{e(r.detail)};return window.addEventListener(t,n),()=>{window.removeEventListener(t,n)}}var q=class{constructor(e,n){this.stage=e;this.source=n}stage;source;follow(){return Ve(Ne,({source:e,lines:n})=>{e===this.source()&&this.light(n)})}tell(e){let r=(e instanceof Element?e.closest("[data-line]"):null)?.getAttribute("data-line")??"";if(r!==this.told){this.told=r;let o=r.split(" ").map(Number);Oe(Ge,{source:this.source(),lines:o.filter(s=>s>0)})}}light(e){for(let n of this.stage.all("[data-line]")){let r=(n.getAttribute("data-line")??"").split(" ");n.classList.toggle("npcg-lit",e.some(o=>r.includes(String(o))))}}told=""};function Be(t,e){let n=e.trim().toLowerCase();if(n==="")return[];let r=t.data.groups.filter(o=>o.kind==="break");return[...t.data.boxes,...r].filter(o=>{let s="text"in o?o.text:o.hint;return`${o.title}
${s}`.toLowerCase().includes(n)}).sort((o,s)=>o.at-s.at).map(o=>o.id)}var ze=.05,At=4,_=class{node=p("div",{class:"npcg-stage"});dragged=!1;get drawing(){return this.drawn}draw(e){let{scrollLeft:n,scrollTop:r}=this.node;this.drawn=e,this.node.replaceChildren(e),e.addEventListener("wheel",this.onWheel,{passive:!1}),e.addEventListener("pointerdown",o=>{this.onPress(o)}),this.zoom(this.scale),this.node.scrollTo(n,r)}put(e){this.drawn=null,this.node.replaceChildren(e)}all(e){return[...this.node.querySelectorAll(e)]}element(e){return this.node.querySelector(`[data-id="${CSS.escape(e)}"]`)}reach(e){for(let n of this.all('[data-id][tabindex="0"]'))n.setAttribute("tabindex","-1");e.setAttribute("tabindex","0")}zoomBy(e){let{clientWidth:n,clientHeight:r}=this.node,[o,s]=[n/2,r/2],i=this.scale,a=this.node.scrollLeft+o,l=this.node.scrollTop+s;this.zoom(Math.max(ze,Math.min(At,this.scale*e)));let d=this.scale/i;this.node.scrollTo(a*d-o,l*d-s)}fit(){let e=this.drawn?.viewBox.baseVal.width??0;e>0&&this.node.clientWidth>0&&this.zoom(Math.max(ze,Math.min(1,this.node.clientWidth/e)))}zoom(e){if(this.scale=e,this.drawn!==null){let{width:n,height:r}=this.drawn.viewBox.baseVal;this.drawn.style.width=`${n*e}px`,this.drawn.style.height=`${r*e}px`}}onWheel=e=>{(e.ctrlKey||e.metaKey)&&(e.preventDefault(),this.zoomBy(Math.exp(-e.deltaY/300)))};onPress(e){if(this.dragged=!1,e.button!==0||e.pointerType==="touch")return;let{clientX:n,clientY:r}=e,{scrollLeft:o,scrollTop:s}=this.node,i=l=>{let[d,c]=[l.clientX-n,l.clientY-r];this.dragged||=Math.hypot(d,c)>4,this.dragged&&this.node.scrollTo(o-d,s-c)},a=()=>{window.removeEventListener("pointermove",i),window.removeEventListener("pointerup",a)};window.addEventListener("pointermove",i),window.addEventListener("pointerup",a)}drawn=null;scale=1};var Tt=2e3,Rt=["Line","What","Operation","dtype","Shape","Bytes","FLOPs","Time"];function je(t,e){let n=t.data.groups.filter(i=>i.kind==="break"),r=[...t.data.boxes,...n].sort((i,a)=>i.at-a.at),o=r.slice(0,Tt).map(i=>{let a=p("tr",{"data-id":i.id,class:`npcg-${i.kind}`}),l="text"in i?[i.kind,i.text,i.dtype,i.shape,i.bytes>0?i.bytes.toLocaleString("en"):"",i.flops===null?"":i.flops.toLocaleString("en"),i.us>0?S(i.us):""]:["break point",i.hint===""?i.title:`${i.title} → ${i.hint}`,"","","","",""];return a.append(p("td",{},i.line>0?String(i.line):""),...l.map(d=>p("td",{},d))),a.addEventListener("click",()=>{e(i.id)}),a}),s=r.length-o.length;return p("div",{class:"npcg-table",tabindex:0,role:"region","aria-label":"Table"},p("table",{},p("thead",{},p("tr",{},...Rt.map(i=>p("th",{scope:"col"},i)))),p("tbody",{},...o)),...s>0?[p("p",{},`… ${s} more: export JSON`)]:[])}var D="timing",Gt=500,Pe=100,Nt=["Lines","What","","NumPy","Compiled","Moves","Bound"];function Ce(t){let e=t.rows.slice(0,Gt),n=Ot(e),r=t.rows.length-e.length;return p("div",{class:"npcg-table npcg-timing",tabindex:0,role:"region","aria-label":"Timing"},p("table",{},p("thead",{},p("tr",{},...Nt.map(o=>o===""?p("td"):p("th",{scope:"col"},o)))),p("tbody",{},...e.map((o,s)=>Bt(o,n[s]??1)))),p("p",{class:"npcg-quiet"},Vt(t,r)))}function Ot(t){let e=[];for(let n of t)(n.kind==="region"||e.length===0)&&e.push([]),e.at(-1)?.push(Math.max(n.numpy,n.compiled,n.bound));return e.flatMap(n=>{let r=Math.max(...n)||1;return n.map(()=>r)})}function Vt(t,e){return`${[...e>0?[`… ${e} more rows`]:[],...t.note===""?[]:[t.note],...t.bandwidth>0?[`Bound: what memory needs to move the bytes, at ${j(t.bandwidth)} a second; arrays that fit into caches can be faster`]:[],"Each region has a scale of its own",...t.rows.some(r=>r.kind==="kernel")?["Kernels are timed together: see their region"]:[],...t.rows.some(r=>r.kind==="line")?["NumPy's time of lines was taken operation by operation"]:["%npcompile timing measures lines, too"]].join(". ")}.`}function Bt(t,e){let[n=0,r=0]=[t.lines[0],t.lines.at(-1)],o=t.kind==="region"&&r>n?`${n}-${r}`:[...new Set(t.lines)].join(", "),s=t.kind==="region"&&t.bound>0?` (${Math.round(100*t.bound/Math.min(t.compiled||t.numpy,t.numpy||t.compiled))}%)`:"",i=t.kind==="region"?[]:t.lines;return p("tr",{class:`npcg-time-${t.kind}`,"data-line":i.join(" ")},p("td",{},n>0?o:""),p("td",{},t.title),p("td",{},zt(t,e)),p("td",{},t.numpy>0?S(t.numpy):""),p("td",{},t.compiled>0?S(t.compiled):""),p("td",{},t.moves>0?j(t.moves):""),p("td",{},t.bound>0?`${S(t.bound)}${s}`:""))}function zt(t,e){let n=[{name:"NumPy",us:t.numpy},{name:"compiled",us:t.compiled}].filter(({us:i})=>i>0),r=6*Math.max(n.length,1)+2,o=i=>Math.max(i/e*Pe,1),s=[...n,{name:"bound",us:t.bound}].filter(({us:i})=>i>0);return s.length===0?document.createTextNode(""):y("svg",{width:Pe+2,height:r,role:"img","aria-label":s.map(({name:i,us:a})=>`${i} ${S(a)}`).join(", ")},...n.map(({name:i,us:a},l)=>y("rect",{class:`npcg-time-${i.toLowerCase()}`,x:0,y:1+6*l,width:o(a),height:5})),...t.bound>0?[y("path",{class:"npcg-time-bound",d:`M${o(t.bound)},0v${r}`})]:[])}var jt=["SVG","PNG","DOT","JSON"],U=class{constructor(e){this.search.addEventListener("input",()=>{e.type()}),this.search.addEventListener("keydown",o=>{o.key==="Enter"&&e.find(o.shiftKey?-1:1)});let n=p("select",{"aria-label":"Export",title:"Export"},p("option",{value:""},"Export"),...jt.map(o=>p("option",{value:o},o)));n.addEventListener("change",()=>{e.take(n.value),n.value=""});let r=M("Table","",()=>{let o=r.getAttribute("aria-pressed")!=="true";r.setAttribute("aria-pressed",String(o)),e.asTable(o)});r.setAttribute("aria-pressed","false"),this.node=p("div",{class:"npcg-toolbar"},this.tabs,this.search,this.count,p("span",{class:"npcg-space"}),M("Open all","Open all groups",()=>{e.openAll()}),M("Close all","Close all groups",()=>{e.closeAll()}),M("−","Zoom out",()=>{e.zoomBy(1/1.25)}),M("+","Zoom in",()=>{e.zoomBy(1.25)}),M("Fit","Fit the width",()=>{e.fit()}),r,n)}get query(){return this.search.value}offer(e,n,r){this.tabs.replaceChildren(...e.map(({key:o,title:s})=>{let i=M(s,"",()=>{r(o)});return i.setAttribute("role","tab"),i.setAttribute("aria-selected",String(o===n)),i}))}say(e){this.count.textContent=e}focus(){this.search.focus()}node;tabs=p("div",{role:"tablist","aria-label":"Level"});search=p("input",{type:"search",placeholder:"Search","aria-label":"Search operations"});count=p("span",{class:"npcg-count","aria-live":"polite"})};var J=class{constructor(e){this.data=e;this.boxes=new Map(e.boxes.map(r=>[r.id,r])),this.groups=new Map(e.groups.map(r=>[r.id,r]));let n=[...e.groups,...e.boxes];for(let r of n.sort((o,s)=>o.at-s.at)){let o="parent"in r?r.parent:r.group,s=this.children.get(o);s===void 0?this.children.set(o,[r]):s.push(r)}}data;boxes;groups;around(e){let n=[],r=this.boxes.get(e)?.group??this.groups.get(e)?.parent??"";for(;r!=="";)n.push(r),r=this.groups.get(r)?.parent??"";return n}view(e){let n=[],r=[],o=new Map,s=l=>{r.push(l),n.push({kind:"item",item:l})},i=(l,d)=>{for(let c of this.children.get(l)??[])"parent"in c?i(c.id,d):o.set(c.id,d)},a=(l,d)=>{for(let c of this.children.get(l)??[]){let{line:u,title:g}=c,h="parent"in c?[u]:c.lines,v={depth:d,parent:l,line:u,lines:h,title:g};if("parent"in c)if(c.kind!=="break"&&e.has(c.id)){let b={group:c,depth:d};n.push({kind:"open",frame:b}),a(c.id,d+1),n.push({kind:"close",frame:b})}else{let{id:b,kind:m,detail:x}=c;s({...v,id:b,kind:m,detail:x,group:c,box:null}),i(b,b)}else{o.set(c.id,c.id);let{id:b,kind:m,detail:x}=c;s({...v,id:b,kind:m,detail:x,group:null,box:c})}}};return a("",0),{steps:n,items:r,arrows:Pt(this.data.arrows,o)}}children=new Map};function Pt(t,e){let n=new Map,r={data:0,across:1,memory:2};for(let o of t){let s=e.get(o.tail),i=e.get(o.head);if(s===void 0||i===void 0||s===i)continue;let a=`${s}
${i}`,l=n.get(a);(l===void 0||r[o.kind]<r[l.kind])&&n.set(a,{tail:s,head:i,kind:o.kind})}return[...n.values()]}var Ct=1500,Fe=({model:t,el:e})=>{let n=performance.now(),r=new ne(t,e);return performance.measure("npcompile:graph",{start:n}),()=>{r.end()}},ne=class{constructor(e,n){this.model=e;this.outline=X(e.get("graph")),this.detail=p("div",{class:"npcg-detail","aria-live":"polite"}),this.root=p("div",{class:"npcg",role:"group","aria-label":"Captured graph"},this.toolbar.node,this.stage.node,this.detail),n.append(this.root),this.ends=[O(e,["graph"],()=>{this.outline=X(e.get("graph")),this.levels.clear(),this.show()}),O(e,["level","expanded"],()=>{this.show()}),O(e,["selected"],()=>{this.mark()}),this.links.follow()],this.show(),requestAnimationFrame(()=>{this.stage.fit()})}model;end(){for(let e of this.ends)e();this.root.remove()}choices(){let{levels:e,timing:n}=this.outline;return n.rows.length>0?[...e,{key:D,title:"Timing"}]:e}level(){let e=f(this.model.get("level")),n=this.outline.levels.find(o=>o.key===e)??this.outline.levels[0];if(n===void 0)return null;let r=this.levels.get(n.key)??new J(n);return this.levels.set(n.key,r),r}open(){return new Set(I(this.model.get("expanded")).map(f))}show(){let e=this.level(),n=f(this.model.get("level"))===D;this.root.classList.toggle("npcg-times",n);let r=n?D:e?.data.key??"";if(this.toolbar.offer(this.choices(),r,l=>{this.model.set("level",l),this.model.save_changes()}),n){let l=Ce(this.outline.timing);l.addEventListener("mouseover",d=>{this.links.tell(d.target)}),l.addEventListener("mouseleave",()=>{this.links.tell(null)}),this.stage.put(l),this.describe("");return}if(e===null){this.stage.put(p("p",{},"Nothing was captured."));return}if(this.isTable){this.stage.put(je(e,l=>{this.select(l)})),this.mark();return}let o=this.stage.node.contains(document.activeElement);this.view=e.view(this.open());let s=Te(this.view),i=`Captured graph, ${e.data.title} level, ${e.data.boxes.length} operations, inputs and outputs`,a=ye(this.view,s,i);this.listen(a),this.stage.draw(a),e.data.key!==this.fitted&&(this.fitted=e.data.key,this.stage.fit()),this.mark(),o&&this.focusOn(this.current)}listen(e){e.addEventListener("click",n=>{let r=n.target.closest("[data-id]");if(r===null||this.stage.dragged)return;let o=r.getAttribute("data-id")??"";this.current=o;let s=n.target.closest("text")!==null;(r.classList.contains("npcg-frame")?s:this.isGroup(o))?this.toggle(o):r.classList.contains("npcg-frame")||this.select(o)}),e.addEventListener("keydown",n=>{ke(n,this.walker)&&(n.preventDefault(),n.stopPropagation())}),e.addEventListener("mouseover",n=>{this.links.tell(n.target)}),e.addEventListener("mouseleave",()=>{this.links.tell(null)}),e.addEventListener("focusin",n=>{this.links.tell(n.target)})}isGroup(e){let n=this.level()?.groups.get(e);return n!==void 0&&n.kind!=="break"}toggle(e){let n=this.open();n.delete(e)||n.add(e),this.current=e,this.setOpen([...n])}setOpen(e){this.model.set("expanded",[...e]),this.model.save_changes()}openAll(){let e=this.level();if(e===null)return;let n=new Set;for(let r of e.data.groups)if(e.around(r.id).every(o=>n.has(o))&&(n.add(r.id),e.view(n).items.length>Ct)){n.delete(r.id);break}this.setOpen([...n])}select(e){this.current=e,this.model.set("selected",e),this.model.save_changes()}find(e){let n=this.level(),r=n===null?[]:Be(n,this.toolbar.query);if(n===null||r.length===0){let s=this.toolbar.query.trim()!=="";this.toolbar.say(s?"not found":"");return}this.found=(this.found+e+r.length)%r.length,this.toolbar.say(`${this.found+1} of ${r.length}`);let o=r[this.found]??"";this.setOpen([...new Set([...this.open(),...n.around(o)])]),this.select(o),this.stage.element(o)?.scrollIntoView({block:"nearest"})}take(e){let n=this.level();if(n===null||e==="")return;let{drawing:r}=this.stage;xe(e,n.data,n.view(this.open()),r,o=>{this.toolbar.say(o)})}focusOn(e){this.current=e;let n=this.stage.element(e);n instanceof SVGElement&&(this.stage.reach(n),n.focus(),n.scrollIntoView({block:"nearest",inline:"nearest"}))}mark(){let e=f(this.model.get("selected"));for(let r of this.stage.all(".npcg-selected"))r.classList.remove("npcg-selected"),r.hasAttribute("role")&&r.setAttribute("aria-selected","false");let n=e===""?null:this.stage.element(e);n?.classList.add("npcg-selected"),n?.hasAttribute("role")&&n.setAttribute("aria-selected","true");for(let r of this.stage.all(".npcg-arrow")){let o=[r.getAttribute("data-tail"),r.getAttribute("data-head")];r.classList.toggle("npcg-selected",e!==""&&o.includes(e))}if(this.stage.drawing!==null){let r=n??this.stage.drawing.querySelector("[data-id]");r!==null&&(this.stage.reach(r),this.current||=r.getAttribute("data-id")??"")}this.describe(e)}describe(e){let n=this.level(),r=n===null?null:fe(n,e,o=>{this.setOpen([...new Set([...this.open(),...n.around(o)])]),this.select(o),this.stage.element(o)?.scrollIntoView({block:"nearest"})});this.detail.replaceChildren(...r??[p("span",{class:"npcg-quiet"},this.outline.summary)])}walker={here:()=>this.current,reading:()=>(this.view?.steps??[]).flatMap(e=>e.kind==="open"?[e.frame.group.id]:e.kind==="item"?[e.item.id]:[]),reader:e=>this.view?.arrows.find(n=>n.tail===e)?.head,parent:e=>this.level()?.around(e)[0],isOpen:e=>this.open().has(e),isGroup:e=>this.isGroup(e),go:e=>{this.focusOn(e)},toggle:e=>{this.toggle(e)},select:e=>{this.select(e)},zoomBy:e=>{this.stage.zoomBy(e)},fit:()=>{this.stage.fit()},search:()=>{this.toolbar.focus()}};outline;levels=new Map;root;stage=new _;links=new q(this.stage,()=>this.outline.source);detail;ends;toolbar=new U({type:()=>{this.found=0,this.find(0)},find:e=>{this.find(e)},openAll:()=>{this.openAll()},closeAll:()=>{this.setOpen([])},zoomBy:e=>{this.stage.zoomBy(e)},fit:()=>{this.stage.fit()},asTable:e=>{this.isTable=e,this.show()},take:e=>{this.take(e)}});view=null;current="";found=0;fitted="";isTable=!1};var He=`.npcg {
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
  padding: 3px 8px;
}
`;var Ht={graph:Fe,gradients:ue};function Zn(t,e){let n=Ht[t];if(n===void 0)throw new Error(`jupyter-npcompile has no view ${t}`);let r=p("style",{},He);e.el.append(r);let o=n(e);return()=>{o(),r.remove()}}export{Zn as show};

"use strict";(self.rspackChunkjupyter_npcompile=self.rspackChunkjupyter_npcompile||[]).push([[266],{79(o,e,r){var p=r(601),n=r.n(p),i=r(314),t=(r.n(i))()(n());t.push([o.id,`.jp-npcompile-fixes {
  padding: 4px 0;
  color: var(--jp-ui-font-color1);
  font-family: var(--jp-ui-font-family);
  font-size: var(--jp-ui-font-size1);
  line-height: 1.45;
}

.jp-npcompile-fixes p {
  margin: 2px 0;
}

.jp-npcompile-fixes-summary {
  font-weight: 600;
}

.jp-npcompile-fixes-more {
  color: var(--jp-ui-font-color2);
}

.jp-npcompile-fix {
  margin: 8px 0 12px;
}

.jp-npcompile-fix-head {
  display: flex;
  flex-wrap: wrap;
  gap: 4px 12px;
  align-items: center;
}

/* Lab's accent with its own text colour is below WCAG AA at this size. */
.jp-npcompile-fix-head button.jp-mod-styled.jp-mod-accept {
  min-height: 22px;
  height: 22px;
  padding: 0 12px;
  line-height: 22px;
  color: #fff;
  background: #1565c0;
}

.jp-npcompile-fix-head button.jp-mod-styled.jp-mod-accept:hover {
  background: #0d4f9e;
}

.jp-npcompile-fix-head button:focus-visible,
.jp-npcompile-find-fixes:focus-visible,
.jp-npcompile-diff:focus-visible {
  outline: 2px solid var(--jp-brand-color1);
  outline-offset: 2px;
}

pre.jp-npcompile-diff {
  margin: 6px 0 0;
  padding: 4px 0;
  overflow: auto;
  border: 1px solid var(--jp-border-color2);
  border-radius: 4px;
  color: var(--jp-content-font-color1);
  background: var(--jp-cell-editor-background);
  font-family: var(--jp-code-font-family);
  font-size: var(--jp-code-font-size);
  line-height: var(--jp-code-line-height);
}

.jp-npcompile-diff span {
  display: block;
  min-width: max-content;
  padding: 0 10px;
}

.jp-npcompile-diff-added {
  background: color-mix(in srgb, var(--jp-success-color1) 20%, transparent);
}

.jp-npcompile-diff-removed {
  background: color-mix(in srgb, var(--jp-error-color1) 16%, transparent);
}

.jp-npcompile-diff-gap {
  color: var(--jp-ui-font-color2);
}

.jp-npcompile-fixes-dialog {
  min-width: 50ch;
  max-width: 110ch;
  overflow: auto;
}

.jp-npcompile-find-fixes {
  margin: 4px 0 2px;
  padding: 1px 8px;
  border: 1px solid var(--jp-border-color1);
  border-radius: 3px;
  color: var(--jp-ui-font-color1);
  background: var(--jp-layout-color2);
  font: inherit;
  cursor: pointer;
}

.jp-npcompile-find-fixes:hover {
  background: var(--jp-layout-color3);
}
`,""]),r.d(e,{},{A:t})},646(o,e,r){var p=r(601),n=r.n(p),i=r(314),t=r.n(i),a=r(472),l=r(79),c=r(842),s=t()(n());s.i(a.A),s.i(l.A),s.i(c.A),s.push([o.id,`
`,""]),r.d(e,{},{A:s})},472(o,e,r){var p=r(601),n=r.n(p),i=r(314),t=(r.n(i))()(n());t.push([o.id,`/* Colours are the theme's own, mixed towards its text colour so that symbols
   keep a contrast of 3 to 1 in light and in dark. */
.jp-npcompile-compiled {
  --jp-npcompile-color: color-mix(
    in srgb,
    var(--jp-success-color1) 60%,
    var(--jp-ui-font-color0)
  );
}

.jp-npcompile-host {
  --jp-npcompile-color: color-mix(
    in srgb,
    var(--jp-warn-color1) 55%,
    var(--jp-ui-font-color0)
  );
}

.jp-npcompile-python {
  --jp-npcompile-color: var(--jp-ui-font-color2);
}

.jp-npcompile-break {
  --jp-npcompile-color: color-mix(
    in srgb,
    var(--jp-error-color1) 70%,
    var(--jp-ui-font-color0)
  );
}

.jp-npcompile-gutter .cm-gutterElement {
  display: flex;
  padding: 0 2px;
}

.jp-npcompile-mark {
  display: flex;
  width: 10px;
  height: calc(var(--jp-code-line-height) * 1em);
  color: var(--jp-npcompile-color);
}

.jp-npcompile-mark svg {
  width: 100%;
  margin: auto 0;
}

.jp-npcompile-mark .jp-npcompile-fill {
  fill: currentcolor;
}

.jp-npcompile-mark .jp-npcompile-outline {
  fill: none;
  stroke: currentcolor;
  stroke-width: 2px;
  stroke-linejoin: round;
}

.cm-line.jp-npcompile-line:not(.jp-npcompile-python) {
  box-shadow: inset 2px 0 0 var(--jp-npcompile-color);
}

.cm-line.jp-npcompile-line.jp-npcompile-break {
  background: color-mix(in srgb, var(--jp-error-color1) 10%, transparent);
}

/* The cell was edited after it ran. */
.jp-npcompile-stale .jp-npcompile-mark {
  opacity: 0.55;
}

.jp-npcompile-stale .jp-npcompile-mark .jp-npcompile-fill {
  fill: none;
}

.jp-npcompile-stale .jp-npcompile-mark .jp-npcompile-outline {
  stroke-dasharray: 3 2;
}

.jp-npcompile-stale .cm-line.jp-npcompile-line:not(.jp-npcompile-python) {
  background: none;
  box-shadow: inset 1px 0 0 var(--jp-border-color1);
}

.cm-line.jp-npcompile-line.jp-npcompile-lit,
.cm-line.jp-npcompile-lit {
  background: color-mix(in srgb, var(--jp-brand-color1) 22%, transparent);
}

.cm-tooltip .jp-npcompile-tooltip {
  max-width: 60ch;
  padding: 4px 8px;
  color: var(--jp-ui-font-color1);
  background: var(--jp-layout-color1);
  border-left: 3px solid var(--jp-npcompile-color);
  font-family: var(--jp-ui-font-family);
  font-size: var(--jp-ui-font-size1);
  line-height: 1.45;
  overflow-wrap: anywhere;
}

.cm-tooltip .jp-npcompile-tooltip > :first-child {
  font-weight: 600;
}
`,""]),r.d(e,{},{A:t})},842(o,e,r){var p=r(601),n=r.n(p),i=r(314),t=(r.n(i))()(n());t.push([o.id,`.jp-npcompile-status {
  display: flex;
  gap: 8px;
  align-items: center;
  color: var(--jp-ui-font-color1);
  font-size: var(--jp-ui-font-size1);
}

.jp-npcompile-status button {
  padding: 0 8px;
  border: 1px solid var(--jp-border-color1);
  border-radius: 3px;
  color: var(--jp-ui-font-color1);
  background: var(--jp-layout-color1);
  font: inherit;
  line-height: 16px;
  cursor: pointer;
}

.jp-npcompile-status button:focus-visible {
  outline: 2px solid var(--jp-brand-color1);
}

.jp-npcompile-status button[hidden] {
  display: none;
}
`,""]),r.d(e,{},{A:t})},314(o){o.exports=function(o){var e=[];return e.toString=function(){return this.map(function(e){var r="",p=void 0!==e[5];return e[4]&&(r+="@supports (".concat(e[4],") {")),e[2]&&(r+="@media ".concat(e[2]," {")),p&&(r+="@layer".concat(e[5].length>0?" ".concat(e[5]):""," {")),r+=o(e),p&&(r+="}"),e[2]&&(r+="}"),e[4]&&(r+="}"),r}).join("")},e.i=function(o,r,p,n,i){"string"==typeof o&&(o=[[null,o,void 0]]);var t={};if(p)for(var a=0;a<this.length;a++){var l=this[a][0];null!=l&&(t[l]=!0)}for(var c=0;c<o.length;c++){var s=[].concat(o[c]);p&&t[s[0]]||(void 0!==i&&(void 0===s[5]||(s[1]="@layer".concat(s[5].length>0?" ".concat(s[5]):""," {").concat(s[1],"}")),s[5]=i),r&&(s[2]&&(s[1]="@media ".concat(s[2]," {").concat(s[1],"}")),s[2]=r),n&&(s[4]?(s[1]="@supports (".concat(s[4],") {").concat(s[1],"}"),s[4]=n):s[4]="".concat(n)),e.push(s))}},e}},601(o){o.exports=function(o){return o[1]}},665(o,e,r){r.r(e);var p=r(72),n=r.n(p),i=r(825),t=r.n(i),a=r(659),l=r.n(a),c=r(56),s=r.n(c),d=r(540),u=r.n(d),m=r(113),f=r.n(m),j=r(646),v={};v.styleTagTransform=f(),v.setAttributes=s(),v.insert=l().bind(null,"head"),v.domAPI=t(),v.insertStyleElement=u(),n()(j.A,v);let h=j.A&&j.A.locals?j.A.locals:void 0;r.d(e,{},{default:h})},72(o){var e=[];function r(o){for(var r=-1,p=0;p<e.length;p++)if(e[p].identifier===o){r=p;break}return r}function p(o,p){for(var n={},i=[],t=0;t<o.length;t++){var a=o[t],l=p.base?a[0]+p.base:a[0],c=n[l]||0,s="".concat(l," ").concat(c);n[l]=c+1;var d=r(s),u={css:a[1],media:a[2],sourceMap:a[3],supports:a[4],layer:a[5]};if(-1!==d)e[d].references++,e[d].updater(u);else{var m=function(o,e){var r=e.domAPI(e);return r.update(o),function(e){e?(e.css!==o.css||e.media!==o.media||e.sourceMap!==o.sourceMap||e.supports!==o.supports||e.layer!==o.layer)&&r.update(o=e):r.remove()}}(u,p);p.byIndex=t,e.splice(t,0,{identifier:s,updater:m,references:1})}i.push(s)}return i}o.exports=function(o,n){var i=p(o=o||[],n=n||{});return function(o){o=o||[];for(var t=0;t<i.length;t++){var a=r(i[t]);e[a].references--}for(var l=p(o,n),c=0;c<i.length;c++){var s=r(i[c]);0===e[s].references&&(e[s].updater(),e.splice(s,1))}i=l}}},659(o){var e={};o.exports=function(o,r){var p=function(o){if(void 0===e[o]){var r=document.querySelector(o);if(window.HTMLIFrameElement&&r instanceof window.HTMLIFrameElement)try{r=r.contentDocument.head}catch(o){r=null}e[o]=r}return e[o]}(o);if(!p)throw Error("Couldn't find a style target. This probably means that the value for the 'insert' parameter is invalid.");p.appendChild(r)}},540(o){o.exports=function(o){var e=document.createElement("style");return o.setAttributes(e,o.attributes),o.insert(e,o.options),e}},56(o,e,r){o.exports=function(o){var e=r.nc;e&&o.setAttribute("nonce",e)}},825(o){o.exports=function(o){if("u"<typeof document)return{update:function(){},remove:function(){}};var e=o.insertStyleElement(o);return{update:function(r){var p,n,i;p="",r.supports&&(p+="@supports (".concat(r.supports,") {")),r.media&&(p+="@media ".concat(r.media," {")),(n=void 0!==r.layer)&&(p+="@layer".concat(r.layer.length>0?" ".concat(r.layer):""," {")),p+=r.css,n&&(p+="}"),r.media&&(p+="}"),r.supports&&(p+="}"),(i=r.sourceMap)&&"u">typeof btoa&&(p+="\n/*# sourceMappingURL=data:application/json;base64,".concat(btoa(unescape(encodeURIComponent(JSON.stringify(i))))," */")),o.styleTagTransform(p,e,o.options)},remove:function(){var o;null===(o=e).parentNode||o.parentNode.removeChild(o)}}}},113(o){o.exports=function(o,e){if(e.styleSheet)e.styleSheet.cssText=o;else{for(;e.firstChild;)e.removeChild(e.firstChild);e.appendChild(document.createTextNode(o))}}}}]);
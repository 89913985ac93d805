"use strict";(self.rspackChunkjupyter_npcompile=self.rspackChunkjupyter_npcompile||[]).push([[266],{646(e,o,r){var n=r(601),t=r.n(n),i=r(314),a=r.n(i),c=r(472),p=a()(t());p.i(c.A),p.push([e.id,`
`,""]),r.d(o,{},{A:p})},472(e,o,r){var n=r(601),t=r.n(n),i=r(314),a=(r.n(i))()(t());a.push([e.id,`/* Colours are the theme's own, mixed towards its text colour so that symbols
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
`,""]),r.d(o,{},{A:a})},314(e){e.exports=function(e){var o=[];return o.toString=function(){return this.map(function(o){var r="",n=void 0!==o[5];return o[4]&&(r+="@supports (".concat(o[4],") {")),o[2]&&(r+="@media ".concat(o[2]," {")),n&&(r+="@layer".concat(o[5].length>0?" ".concat(o[5]):""," {")),r+=e(o),n&&(r+="}"),o[2]&&(r+="}"),o[4]&&(r+="}"),r}).join("")},o.i=function(e,r,n,t,i){"string"==typeof e&&(e=[[null,e,void 0]]);var a={};if(n)for(var c=0;c<this.length;c++){var p=this[c][0];null!=p&&(a[p]=!0)}for(var l=0;l<e.length;l++){var s=[].concat(e[l]);n&&a[s[0]]||(void 0!==i&&(void 0===s[5]||(s[1]="@layer".concat(s[5].length>0?" ".concat(s[5]):""," {").concat(s[1],"}")),s[5]=i),r&&(s[2]&&(s[1]="@media ".concat(s[2]," {").concat(s[1],"}")),s[2]=r),t&&(s[4]?(s[1]="@supports (".concat(s[4],") {").concat(s[1],"}"),s[4]=t):s[4]="".concat(t)),o.push(s))}},o}},601(e){e.exports=function(e){return e[1]}},665(e,o,r){r.r(o);var n=r(72),t=r.n(n),i=r(825),a=r.n(i),c=r(659),p=r.n(c),l=r(56),s=r.n(l),u=r(540),d=r.n(u),m=r(113),f=r.n(m),v=r(646),h={};h.styleTagTransform=f(),h.setAttributes=s(),h.insert=p().bind(null,"head"),h.domAPI=a(),h.insertStyleElement=d(),t()(v.A,h);let j=v.A&&v.A.locals?v.A.locals:void 0;r.d(o,{},{default:j})},72(e){var o=[];function r(e){for(var r=-1,n=0;n<o.length;n++)if(o[n].identifier===e){r=n;break}return r}function n(e,n){for(var t={},i=[],a=0;a<e.length;a++){var c=e[a],p=n.base?c[0]+n.base:c[0],l=t[p]||0,s="".concat(p," ").concat(l);t[p]=l+1;var u=r(s),d={css:c[1],media:c[2],sourceMap:c[3],supports:c[4],layer:c[5]};if(-1!==u)o[u].references++,o[u].updater(d);else{var m=function(e,o){var r=o.domAPI(o);return r.update(e),function(o){o?(o.css!==e.css||o.media!==e.media||o.sourceMap!==e.sourceMap||o.supports!==e.supports||o.layer!==e.layer)&&r.update(e=o):r.remove()}}(d,n);n.byIndex=a,o.splice(a,0,{identifier:s,updater:m,references:1})}i.push(s)}return i}e.exports=function(e,t){var i=n(e=e||[],t=t||{});return function(e){e=e||[];for(var a=0;a<i.length;a++){var c=r(i[a]);o[c].references--}for(var p=n(e,t),l=0;l<i.length;l++){var s=r(i[l]);0===o[s].references&&(o[s].updater(),o.splice(s,1))}i=p}}},659(e){var o={};e.exports=function(e,r){var n=function(e){if(void 0===o[e]){var r=document.querySelector(e);if(window.HTMLIFrameElement&&r instanceof window.HTMLIFrameElement)try{r=r.contentDocument.head}catch(e){r=null}o[e]=r}return o[e]}(e);if(!n)throw Error("Couldn't find a style target. This probably means that the value for the 'insert' parameter is invalid.");n.appendChild(r)}},540(e){e.exports=function(e){var o=document.createElement("style");return e.setAttributes(o,e.attributes),e.insert(o,e.options),o}},56(e,o,r){e.exports=function(e){var o=r.nc;o&&e.setAttribute("nonce",o)}},825(e){e.exports=function(e){if("u"<typeof document)return{update:function(){},remove:function(){}};var o=e.insertStyleElement(e);return{update:function(r){var n,t,i;n="",r.supports&&(n+="@supports (".concat(r.supports,") {")),r.media&&(n+="@media ".concat(r.media," {")),(t=void 0!==r.layer)&&(n+="@layer".concat(r.layer.length>0?" ".concat(r.layer):""," {")),n+=r.css,t&&(n+="}"),r.media&&(n+="}"),r.supports&&(n+="}"),(i=r.sourceMap)&&"u">typeof btoa&&(n+="\n/*# sourceMappingURL=data:application/json;base64,".concat(btoa(unescape(encodeURIComponent(JSON.stringify(i))))," */")),e.styleTagTransform(n,o,e.options)},remove:function(){var e;null===(e=o).parentNode||e.parentNode.removeChild(e)}}}},113(e){e.exports=function(e,o){if(o.styleSheet)o.styleSheet.cssText=e;else{for(;o.firstChild;)o.removeChild(o.firstChild);o.appendChild(document.createTextNode(e))}}}}]);
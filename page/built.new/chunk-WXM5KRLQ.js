var x,pn,ht,V,dt,Ue,dn,Ie,un,mt,ut,fn,ve=Symbol.for("pv"),Me={},Le=[],fo=/^m(i|n|o|s|text|space)$/,gt=Array.isArray,xt=Le.slice,ae=Object.assign;function se(t){t&&t.parentNode&&t.remove()}function hn(t,e,n){var r,i,o,s={},a=arguments.length;for(o in e)o=="key"?r=e[o]:o=="ref"&&typeof t!="function"?i=e[o]:s[o]=e[o];return a>2&&(s.children=a>3?xt.call(arguments,2):n),_e(t,s,r,i,null)}function _e(t,e,n,r,i){var o={type:t,props:e,key:n,ref:r,__k:null,__:null,__b:0,__e:null,__c:null,constructor:ve,__v:i||++pn,__i:-1,__u:0};return!i&&x.vnode&&x.vnode(o),o}function I(t){return t.children}function de(t,e){this.props=t,this.context=e,this.__g=0}function J(t,e){if(e==null)return t.__&&J(t.__,t.__i+1);for(var n;e<t.__k.length;e++)if((n=t.__k[e])&&n.__e)return n.__e;return typeof t.type!="function"||t.props.__P?null:J(t)}function ho(t){var e,n=t.__v,r=n.__e,i=[],o=[],s=t.__P;s&&((e=ae({constructor:ve},n)).__v=n.__v+1,x.vnode&&x.vnode(e),wt(s,e,n,t.__n,s.namespaceURI,32&n.__u?[r]:null,i,r||J(n),32&n.__u,o),e.__v=n.__v,e.__.__k[e.__i]=e,vn(i,e,o),n.__=n.__e=null,e.__e!=r&&mn(e))}function mn(t){if((t=t.__)&&t.__c&&!t.props.__P)return t.__e=null,t.__k.some(function(e){return e&&(t.__e=e.__e)}),mn(t)}function ft(t){(8&t.__g||(t.__g|=8,V.push(t),Ue++))&&dt==x.debounceRendering||((dt=x.debounceRendering)||queueMicrotask)(gn)}function gn(){try{for(var t,e=1;V.length;)V.length>e&&V.sort(dn),t=V.shift(),e=V.length,8&t.__g&&ho(t)}finally{(Ue=V.length)&&(dt||queueMicrotask)(gn)}}function xn(t,e,n,r,i,o,s,a,c,d,l){var u,g,p,m,y,_,E=r.__k||Le,v=e.length;for(c=mo(n,e,E,c,v),u=0;u<v;u++)(p=n.__k[u])!=null&&(g=~p.__i&&E[p.__i]||Me,p.__i=u,_=wt(t,p,g,i,o,s,a,c,d,l),m=p.__e,(g.ref!=p.ref||8&g.__u)&&(g.ref&&_t(g.ref,null,p,g),p.ref&&l.push(p.ref,p.__c||m,p)),y=y||m,4&p.__u?(c=wn(p,c,t,!g.__v),g.__e&&(g.__e=null)):typeof p.type=="function"&&_!==void 0?c=_:m&&(c=m.nextSibling),p.__u&=-21);return n.__e=y,c}function mo(t,e,n,r,i){var o,s,a,c,d,l,u,g,p,m=n.length,y=m,_=0,E=0,v=t.__k=Array(i);for(o=0;o<i;o++)(s=e[o])!=null&&typeof s!="boolean"&&typeof s!="function"?(typeof s!="object"||s.constructor===String?s=v[o]=_e(null,s):gt(s)?s=v[o]=_e(I,{children:s}):s.constructor===ve&&s.__b?s=v[o]=_e(s.type,s.props,s.key,s.ref,s.__v):v[o]=s,c=o+_,s.__=t,s.__b=t.__b+1,a=null,~(d=s.__i=go(s,n,c,y))&&(y--,(a=n[d])&&(a.__u|=2)),a&&a.__v?(s.__u|=16,d==c-1?_--:d==c+1?_++:d!=c&&(d>c?_--:_++,E=1)):(~d||(i>m?_--:i<m&&_++),typeof s.type!="function"&&(s.__u|=4))):v[o]=null;if(E){for(l=[],u=[],o=0;o<i;o++)if((s=v[o])&&16&s.__u){for(_=0,g=l.length;_<g;)l[p=_+g>>1]<s.__i?_=p+1:g=p;l[_]=s.__i,u[o]=_+1}for(_=l.length;o--;)u[o]&&(u[o]==_?_--:v[o].__u|=4)}if(y)for(o=0;o<m;o++)!(a=n[o])||2&a.__u||(a.__e==r&&(r=J(a)),vt(a,a));return r}function wn(t,e,n,r){var i,o,s,a;if(typeof t.type=="function"){if(t.props.__P)return e;if(i=t.__k)for(o=0;o<i.length;o++)i[o]&&(i[o].__=t,e=wn(i[o],e,n,!1));return e}for(e&&!e.parentNode&&(e=J(t))&&!e.parentNode&&(e=null),s=t.__e,a=e;a&&a.nodeType==8;)a=a.nextSibling;for(s!=a&&(!r&&n.moveBefore&&s.parentNode?n.moveBefore(s,e):n.insertBefore(s,e||null)),e=s;(e=e&&e.nextSibling)&&e.nodeType==8&&!e.data.startsWith("$s"););return e}function go(t,e,n,r){var i,o=t.key,s=t.type,a=e[n],c=a&&!(2&a.__u);if(a===null&&o==null||c&&o==a.key&&s==a.type)return n;if(r>(c?1:0)){for(i=n-1;i>=0;i--)if((a=e[i])&&!(2&a.__u)&&o==a.key&&s==a.type)return i;for(i=n+1;i<e.length;i++)if((a=e[i])&&!(2&a.__u)&&o==a.key&&s==a.type)return i}return-1}function cn(t,e,n){n==null&&(n=""),e[0]=="-"?t.setProperty(e,n):t[e]=n}function Ce(t,e,n,r,i){var o,s;if(e=="style")if(typeof n=="string")t.style.cssText=n;else{if(typeof r=="string"&&(t.style.cssText=r=""),r)for(e in r)n&&e in n||cn(t.style,e);if(n)for(e in n)r&&n[e]==r[e]||cn(t.style,e,n[e])}else if(e[0]=="o"&&e[1]=="n")typeof n!="function"&&(n=null),typeof r!="function"&&(r=null),(t.__e||(t.__e={}))[e]=n,n&&r||(s=ut[e]||(ut[e]=xo(e)),(t.__a||(t.__a={}))[e]=mt,o=e!=(e=e.replace(un,"$1")),(e=e.slice(2))[0]<"a"&&(e=e.toLowerCase()),n?t.addEventListener(e,s,o):t.removeEventListener(e,s,o));else{if(i=="http://www.w3.org/2000/svg")e=e.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(e!="width"&&e!="height"&&e!="href"&&e!="list"&&e!="form"&&e!="tabIndex"&&e!="download"&&e!="rowSpan"&&e!="colSpan"&&e!="role"&&e!="popover"&&e in t)try{return void(t[e]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&e[4]!="-"?t.removeAttribute(e):t.setAttribute(e,e=="popover"&&n==1?"":n)}}function xo(t){return function(e){var n=this.__e;if(n){if(n=n[t],e[Ie]==null)e[Ie]=mt++;else if(e[Ie]<this.__a[t])return;return n(x.event?x.event(e):e)}}}function wt(t,e,n,r,i,o,s,a,c,d){var l,u,g,p,m,y,_,E,v,P,j,pt,an,Pe,oe,ln,G,ie,F=e.type;if(e.constructor!==ve)return null;128&n.__u&&(c=32&n.__u,l=n.__c.__z)&&(e.__u|=c,u=o=[],l.nodeType==8?a=Ne(l,o):o.push(l),a=o[0]||a),(l=x.__b)&&l(e);e:if(typeof F=="function"){g=s.length;try{if(E=e.props,v=(l=F.prototype)&&l.render,P=(l=F.contextType)&&r[l.__c],j=l?P?P.props.value:l.__:r,(p=n.__c)?(e.__c=p,2&p.__g&&(p.__g|=1)):(v?e.__c=p=new F(E,j):(e.__c=p=new de(E,j),p.constructor=F,p.render=_o),P&&P.sub(p),p.state||(p.state={}),p.__n=r,p.__g|=8,p.__h=[],p.__k=[]),v&&(p.__s||(p.__s=p.state),F.getDerivedStateFromProps&&(p.__s==p.state&&(p.__s=ae({},p.__s)),ae(p.__s,F.getDerivedStateFromProps(E,p.__s)))),m=p.props,y=p.state,p.__v=e,n.__c){if(E!==m&&v&&!F.getDerivedStateFromProps&&p.componentWillReceiveProps&&p.componentWillReceiveProps(E,j),e.__v==n.__v&&!(8&p.__g)||!(4&p.__g)&&p.shouldComponentUpdate&&p.shouldComponentUpdate(E,p.__s,j)===!1){e.__v!=n.__v&&(p.props=E,p.state=p.__s,p.__g&=-9),e.__e=n.__e,e.__k=n.__k,e.__k.some(function(q){q&&(q.__=e)}),Le.push.apply(p.__h,p.__k),p.__k=[],p.__h.length&&s.push(p),a=J(n);break e}p.componentWillUpdate&&p.componentWillUpdate(E,p.__s,j),v&&p.componentDidUpdate&&p.__h.push(function(){p.componentDidUpdate(m,y,_)})}else v&&!F.getDerivedStateFromProps&&p.componentWillMount&&p.componentWillMount(),v&&p.componentDidMount&&p.__h.push(p.componentDidMount);p.context=j,p.props=E,p.__P=t,p.__g&=-5,pt=x.__r,an=v?25:0;do p.__g&=-9,pt&&pt(e),l=p.render(p.props,p.state=p.__s,p.context);while(8&p.__g&&++an<25);v&&(Le.push.apply(p.__h,p.__k),p.__k=[]),p.state=p.__s,p.getChildContext&&(r=ae({},r,p.getChildContext())),v&&n.__c&&p.getSnapshotBeforeUpdate&&(_=p.getSnapshotBeforeUpdate(m,y)),Pe=l&&l.type===I&&l.key==null?l.props.children:l,E.__P&&(l=a,i=(t=E.__P).namespaceURI,c=o=null,n.props&&n.props.__P!=t&&(n.__k.some(function(q){q&&vt(q,q)}),n.__k=null),a=n.__k?J(n,0):null),a=xn(t,gt(Pe)?Pe:[Pe],e,n,r,i,o,s,a,c,d),E.__P&&(e.__e=null,a=l),e.__u&=-161,u&&u.some(se),p.__h.length&&s.push(p),1&p.__g&&(p.__g&=-4)}catch(q){if(s.length=g,e.__v=null,c||o)if(q&&q.then){if(e.__u|=128|c,o){for(~(G=o.indexOf(a||void 0))||(G=o.length);(ie=o[G-1])&&ie.nodeType==8;)G--;for(;G<o.length;G++)if(ie=o[G])if(o[G]=null,oe){if(ie==ln)break}else{if(ie.nodeType!=8)break;ie.data.startsWith("$s")&&(ln=Ne(oe=ie))}}if(!oe){for(;a&&a.nodeType==8&&a.nextSibling;)a=a.nextSibling;oe=a}(l=Ne(oe=e.__c.__z||(e.__c.__z=oe)))?(e.__e=oe,a=l):e.__e=a,a=a&&a.nextSibling}else o&&o.some(se);else e.__e=n.__e;e.__k||(e.__k=n.__k||[]),q&&q.then||_n(e),x.__e(q,e,n)}}else a=e.__e=wo(n.__e,e,n,r,i,o,s,c,d,t);return(l=x.diffed)&&l(e),a}function Ne(t,e){if(t&&t.nodeType==8&&t.data.startsWith("$s"))for(var n=1;t=t.nextSibling;){if(t.nodeType==8){if(t.data.startsWith("$s"))n++;else if(t.data.startsWith("/$s")&&!--n)return t}e&&e.push(t)}}function _n(t){t&&(t.__c&&(t.__c.__g|=4),t.__k&&t.__k.some(_n))}function vn(t,e,n){for(var r=0;r<n.length;)_t(n[r++],n[r++],n[r++]);x.__c&&x.__c(e,t),t.some(function(i){try{t=i.__h,i.__h=[],t.some(function(o){o.call(i)})}catch(o){x.__e(o,i.__v)}})}function wo(t,e,n,r,i,o,s,a,c,d){var l,u,g,p,m,y,_,E,v=n.props||Me,P=e.props,j=e.type;if(j=="svg"?i="http://www.w3.org/2000/svg":j=="math"?i="http://www.w3.org/1998/Math/MathML":i||(i="http://www.w3.org/1999/xhtml"),o){for(l=0;l<o.length;l++)if((m=o[l])&&(j?m.localName==j:m.nodeType==3)){t=m,o[l]=null;break}}if(!t){if(E=d.ownerDocument||document,!j)return E.createTextNode(P);t=E.createElementNS(i,j,P.is?P:d),a&&(x.__m&&x.__m(e,o),a=!1),o=null}if(j){if(d=j=="template"&&t.content||t,o=j=="textarea"&&P.defaultValue!=null?null:o&&xt.call(d.childNodes),!a&&o)for(v={},l=0;l<t.attributes.length;l++)v[(m=t.attributes[l]).name]=m.value;for(l in v)m=v[l],l=="dangerouslySetInnerHTML"?g=m:l=="children"||l in P||l=="value"&&"defaultValue"in P||l=="checked"&&"defaultChecked"in P||Ce(t,l,null,m,i);for(l in P)m=P[l],l=="children"?p=m:l=="dangerouslySetInnerHTML"?u=m:l=="value"?y=m:l=="checked"?_=m:a&&typeof m!="function"||v[l]===m||Ce(t,l,m,v[l],i);u?(a||g&&(u.__html==g.__html||u.__html==t.innerHTML)||(t.innerHTML=u.__html),e.__k=[]):(g&&(t.textContent=""),(j=="foreignObject"||i=="http://www.w3.org/1998/Math/MathML"&&fo.test(j))&&(i="http://www.w3.org/1999/xhtml"),xn(d,gt(p)?p:[p],e,n,r,i,o,s,o?o[0]:n.__k&&J(n,0),a,c),o&&o.some(se)),a&&j!="textarea"||(l="value",j=="progress"&&y==null?t.removeAttribute(l):y==null||y===t[l]&&(j!="progress"||y)||Ce(t,l,y,v[l],i),l="checked",_!=null&&_!=t[l]&&Ce(t,l,_,v[l],i))}else v===P||a&&t.data==P||(t.data=P);return t}function _t(t,e,n,r){try{typeof t=="function"?e?e.__x=t(e)||1:r&&(r=r.__c||r.__e)&&(e=r.__x)&&(r.__x=null,typeof e=="function"?e():t(null)):t.current=e}catch(i){x.__e(i,n)}}function vt(t,e,n){var r,i,o,s;if(x.unmount&&x.unmount(t),!(r=t.ref)||r.current&&r.current!=t.__e||_t(r,null,e,t),r=t.__c){if(r.componentWillUnmount)try{r.componentWillUnmount()}catch(a){x.__e(a,e)}r.__P=r.__n=null}if(r=t.__k)for(s=0;s<r.length;s++)r[s]&&vt(r[s],e,typeof t.type!="function"||n&&!t.props.__P);!n&&(r=t.__c)&&(r=r.__z)&&(i=Ne(r,o=[]))&&(r==t.__e&&o.some(se),se(i),se(r)),n||se(t.__e),t.__e=t.__c=t.__=null}function _o(t,e,n){return this.constructor(t,n)}function Ai(t,e){var n,r,i,o;x.__&&x.__(t,e),e.nodeType==9&&(e=e.documentElement),r=(n=t&&32&t.__u)?null:e.__k,e.__k=_e(I,{children:[t]}),i=[],o=[],wt(e,e.__k,r||Me,Me,e.namespaceURI,r?null:e.firstChild?xt.call(e.childNodes):null,i,r?r.__e:e.firstChild,n,o),vn(i,e.__k,o),e.__k.props.children=null}function yn(t){function e(n){var r,i;return this.getChildContext||(r=new Set,(i={})[e.__c]=this,this.getChildContext=function(){return i},this.shouldComponentUpdate=function(o){this.props.value!=o.value&&r.forEach(function(s){s.__g|=4,ft(s)})},this.sub=function(o){r.add(o);var s=o.componentWillUnmount;o.componentWillUnmount=function(){r.delete(o),s&&s.call(o)}}),n.children}return e.__c="__cC"+fn++,e.__=t,e.Provider=(e.Consumer=function(n,r){return n.children(r)}).contextType=e,e}x={__e:function(t,e,n,r){for(var i,o,s;e=e.__;)if((i=e.__c)&&!(1&i.__g)){i.__g|=4;try{if((s=(o=i.constructor)&&o.getDerivedStateFromError)&&i.setState(o.getDerivedStateFromError(t)),i.componentDidCatch&&(i.componentDidCatch(t,r||{}),s=1),s&&8&i.__g)return void(i.__g|=2)}catch(a){t=a}}throw Ue=0,t}},pn=0,ht=function(t){return t!=null&&t.constructor===ve},de.prototype.setState=function(t,e){var n=this.__s;n&&n!=this.state||(n=this.__s=ae({},this.state)),typeof t=="function"&&(t=t(ae({},n),this.props)),t&&(ae(n,t),this.__v&&(e&&this.__k.push(e),ft(this)))},de.prototype.forceUpdate=function(t){this.__v&&(this.__g|=4,t&&this.__h.push(t),ft(this))},de.prototype.render=I,V=[],Ue=0,dn=function(t,e){return t.__v.__b-e.__v.__b},Ie=Symbol(),un=/(PointerCapture)$|Capture$/i,mt=0,ut={},fn=0;var vo=Symbol.for("pv"),yo=0,$i=Array.isArray;function h(t,e,n,r,i,o){e||(e={});var s,a,c=e;if("ref"in c&&typeof t!="function")for(a in c={},e)a=="ref"?s=e[a]:c[a]=e[a];var d={type:t,props:c,key:n,ref:s,__k:null,__:null,__b:0,__e:null,__c:null,constructor:vo,__v:--yo,__i:-1,__u:0};return(i||o)&&(d.__source=i,d.__self=o),x.vnode&&x.vnode(d),d}var yt="berth.sign-in";function Ii({redirectUri:t}){if(!URL.canParse(t))return null;let e=new URL(t),r=e.hostname===location.hostname&&e.hostname==="127.0.0.1"&&e.port===""?location.origin+e.pathname:t;return new URL(r).origin===location.origin?r:null}async function Ni(t,e){let{there:n,begun:r}=await bn(t,e,De()),i=location.pathname+location.search;sessionStorage.setItem(yt,JSON.stringify({...r,from:i})),location.assign(n)}var qe="berth.proof.";async function Ui(t,e,n){let{there:r,begun:i}=await bn(t,e,qe+De());r.searchParams.set("max_age","0");let{state:o,...s}=i,c=new DisposableStack().adopt(new BroadcastChannel(qe),g=>g.close()),d=await new Promise((g,p)=>{c.onmessage=({data:m})=>{let y=new URLSearchParams(String(m));y.get("state")===o&&g(y)},n.throwIfAborted(),n.addEventListener("abort",()=>p(n.reason),{once:!0}),open(r,"_blank","popup,noopener,width=520,height=720")}),[l,u]=[d.get("code"),d.get("iss")];return l===null?null:{...s,code:l,...u===null?{}:{iss:u}}}function Mi({searchParams:t}){if(t.get("state")?.startsWith(qe)!==!0)return!1;let e=new BroadcastChannel(qe);return e.postMessage(t.toString()),e.close(),!0}async function bn(t,e,n){let[r,i]=[De(),De()],o=await crypto.subtle.digest("SHA-256",new TextEncoder().encode(i)),s=new URL(t.authorizationEndpoint),a={response_type:"code",client_id:t.clientId,redirect_uri:e,scope:t.scopes.join(" "),state:n,nonce:r,code_challenge:We(new Uint8Array(o)),code_challenge_method:t.pkce};for(let[c,d]of Object.entries(a))s.searchParams.set(c,d);return{there:s,begun:{state:n,nonce:r,codeVerifier:i,redirectUri:e}}}function Li({searchParams:t}){let e=sessionStorage.getItem(yt);if(e===null||!t.has("state"))return null;sessionStorage.removeItem(yt);let{state:n,from:r,...i}=JSON.parse(e),[o,s]=[t.get("code"),t.get("iss")];return{code:t.get("state")===n&&o!==null?{...i,code:o,...s===null?{}:{iss:s}}:null,from:r}}function De(){return We(crypto.getRandomValues(new Uint8Array(32)))}function We(t){return btoa(String.fromCharCode(...t)).replace(/\+/g,"-").replace(/\//g,"_").replace(/=+$/,"")}var Y,T,bt,kn,kt=Object.is,Fe=0,Pn=[],St=[],O=x,Sn=O.__b,En=O.__r,Tn=O.diffed,jn=O.__c,An=O.unmount,On=O.__;function ue(t,e){O.__h&&O.__h(T,t,Fe||e),Fe=0;var n=T.__H||(T.__H={__:[],__h:[]});return t>=n.__.length&&n.__.push({}),n.__[t]}function H(t){return Fe=1,bo(In,t)}function bo(t,e,n){var r=ue(Y++,2);if(r.t=t,!r.__c&&(r.__=[n?n(e):In(void 0,e),function(o){var s=(r.__N||r.__)[0],a=r.t(s,o);kt(s,a)||(r.__N=[a,r.__[1]],r.__c.setState({}))}],r.__c=T,!T.__f)){T.__f=!0;var i=T.shouldComponentUpdate;T.shouldComponentUpdate=function(o,s,a){var c=this.__H;if(!c)return!0;var d=!1,l=this.props!=o;if(c.__.some(function(g){g.__N&&(d=!0,kt(g.__[0],g.__N[0])||(l=!0))}),i){var u=i.call(this,o,s,a);return d?u||l:u}return!d||l}}return r.__}function N(t,e){var n=ue(Y++,3);!O.__s&&jt(n.__H,e)&&(n.__P=!0,n.__=t,n.u=e,T.__H.__h.push(n))}function Wi(t,e){var n=ue(Y++,4);!O.__s&&jt(n.__H,e)&&(n.__P=!1,n.__=t,n.u=e,T.__h.push(n))}function Tt(t){return Fe=5,D(function(){return{current:t}},[])}function D(t,e){var n=ue(Y++,7);return jt(n.__H,e)&&(n.__=t(),n.__H=e),n.__}function Cn(t){var e=T.context[t.__c],n=ue(Y++,9);return n.c=t,e?(n.__==null&&(n.__=!0,e.sub(T)),e.props.value):t.__}function be(){var t=ue(Y++,11);if(!t.__){for(var e=T.__v;!e.__m&&e.__;)e=e.__;var n=e.__m||(e.__m=[0,0]);t.__="P"+n[0]+"-"+n[1]++}return t.__}function ko(){var t;do{for(;t=St.shift();)try{ye(t)}catch(n){O.__e(n,{__:(t=t.__P)&&t.__v})}for(;t=Pn.shift();){var e=t.__H;if(t.__P&&e)try{e.__h.some(ye),e.__h.some(Et),e.__h=[]}catch(n){e.__h=[],O.__e(n,t.__v)}}}while(St.length)}O.__b=function(t){T=null,Sn&&Sn(t)},O.__=function(t,e){t&&e.__k&&e.__k.__m&&(t.__m=e.__k.__m),On&&On(t,e)},O.__r=function(t){En&&En(t),Y=0;var e=(T=t.__c).__H;e&&(bt==T?T.__h=[]:(e.__h.some(ye),e.__h.some(Et),Y=0),e.__h=[],e.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),bt=T},O.diffed=function(t){Tn&&Tn(t);var e=t.__c;e&&e.__H&&(e.__H.__h.length&&$n(Pn.push(e)),e.__H.__.some(function(n){n.u&&(n.__H=n.u)})),bt=T=null},O.__c=function(t,e){e.some(function(n){try{n.__h.some(ye),n.__h=n.__h.filter(function(r){return!r.__||Et(r)})}catch(r){n.__h=[function(){throw r}]}}),jn&&jn(t,e)},O.unmount=function(t){An&&An(t);var e,n,r=t.__c;r&&r.__H&&(r.__H.__.some(function(i){try{if(i.__P&&i.__c){if(n===void 0){for(n=t.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}i.__P=n,$n(St.push(i))}else ye(i)}catch(o){e=o}}),r.__H=void 0,e&&O.__e(e,r.__v))};var Rn=typeof requestAnimationFrame=="function";function So(t){var e,n=function(){clearTimeout(r),Rn&&cancelAnimationFrame(e),setTimeout(t)},r=setTimeout(n,35);Rn&&(e=requestAnimationFrame(n))}function $n(t){t!=1&&kn==O.requestAnimationFrame||((kn=O.requestAnimationFrame)||So)(ko)}function ye(t){var e=T,n=t.__c;typeof n=="function"&&(t.__c=void 0,n()),T=e}function Et(t){var e=T;t.__c=t.__(),T=e}function jt(t,e){return!t||t.length!=e.length||e.some(function(n,r){return!kt(n,t[r])})}function In(t,e){return typeof e=="function"?e(t):e}var Eo=Symbol.for("preact-signals");function Be(){if(z>1)z--;else{var t,e=!1;for(function(){var i=ze;for(ze=void 0;i!==void 0;){var o=i.S;if(o.v===i.v)for(var s=o.t;s!==void 0;s=s.x)s.i===i.i&&(s.i=o.i);i=i.o}}();Se!==void 0;){var n=Se;for(Se=void 0,He++;n!==void 0;){var r=n.u;if(n.u=void 0,n.f&=-3,!(8&n.f)&&Un(n))try{n.c()}catch(i){e||(t=i,e=!0)}n=r}}if(He=0,z--,e)throw t}}function Ot(t){if(z>0)return t();At=++To,z++;try{return t()}finally{Be()}}var ke,S=void 0;function Ee(t){var e=S,n=ke;S=void 0,ke=void 0;try{return t()}finally{S=e,ke=n}}var Se=void 0,z=0,He=0,To=0,At=0,ze=void 0,Ke=0;function Nn(t){if(S!==void 0){var e=t.n;if(e===void 0||e.t!==S)return e={i:0,S:t,p:S.s,n:void 0,t:S,e:void 0,x:void 0,r:e},S.s!==void 0&&(S.s.n=e),S.s=e,t.n=e,32&S.f&&t.S(e),e;if(e.i===-1)return e.i=0,e.n!==void 0&&(e.n.p=e.p,e.p!==void 0&&(e.p.n=e.n),e.p=S.s,e.n=void 0,S.s.n=e,S.s=e),e}}function $(t,e){this.v=t,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=e?.watched,this.Z=e?.unwatched,this.name=e?.name}$.prototype.brand=Eo;$.prototype.h=function(){return!0};$.prototype.S=function(t){var e=this,n=this.t;n!==t&&t.e===void 0&&(t.x=n,this.t=t,n!==void 0?n.e=t:Ee(function(){var r;(r=e.W)==null||r.call(e)}))};$.prototype.U=function(t){var e=this;if(this.t!==void 0){var n=t.e,r=t.x;n!==void 0&&(n.x=r,t.e=void 0),r!==void 0&&(r.e=n,t.x=void 0),t===this.t&&(this.t=r,r===void 0&&Ee(function(){var i;(i=e.Z)==null||i.call(e)}))}};$.prototype.subscribe=function(t){var e=this;return C(function(){var n=e.value;Ee(function(){return t(n)})},{name:"sub"})};$.prototype.valueOf=function(){return this.value};$.prototype.toString=function(){return this.value+""};$.prototype.toJSON=function(){return this.value};$.prototype.peek=function(){var t=this;return Ee(function(){return t.value})};Object.defineProperty($.prototype,"value",{get:function(){var t=Nn(this);return t!==void 0&&(t.i=this.i),this.v},set:function(t){if(t!==this.v){if(He>100)throw new Error("Cycle detected");(function(n){z!==0&&He===0&&n.l!==At&&(n.l=At,ze={S:n,v:n.v,i:n.i,o:ze})})(this),this.v=t,this.i++,Ke++,z++;try{for(var e=this.t;e!==void 0;e=e.x)e.t.N()}finally{Be()}}}});function w(t,e){return new $(t,e)}function Un(t){for(var e=t.s;e!==void 0;e=e.n)if(e.S.i!==e.i||!e.S.h()||e.S.i!==e.i)return!0;return!1}function Mn(t){for(var e=t.s;e!==void 0;e=e.n){var n=e.S.n;if(n!==void 0&&(e.r=n),e.S.n=e,e.i=-1,e.n===void 0){t.s=e;break}}}function Ln(t){for(var e=t.s,n=void 0;e!==void 0;){var r=e.p;e.i===-1?(e.S.U(e),r!==void 0&&(r.n=e.n),e.n!==void 0&&(e.n.p=r)):n=e,e.S.n=e.r,e.r!==void 0&&(e.r=void 0),e=r}t.s=n}function le(t,e){$.call(this,void 0,e),this.x=t,this.s=void 0,this.g=Ke-1,this.f=4}le.prototype=new $;le.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===Ke))return!0;if(this.g=Ke,this.f|=1,this.i>0&&!Un(this))return this.f&=-2,!0;var t=S;try{Mn(this),S=this;var e=this.x();(16&this.f||this.v!==e||this.i===0)&&(this.v=e,this.f&=-17,this.i++)}catch(n){this.v=n,this.f|=16,this.i++}return S=t,Ln(this),this.f&=-2,!0};le.prototype.S=function(t){if(this.t===void 0){this.f|=36;for(var e=this.s;e!==void 0;e=e.n)e.S.S(e)}$.prototype.S.call(this,t)};le.prototype.U=function(t){if(this.t!==void 0&&($.prototype.U.call(this,t),this.t===void 0)){this.f&=-33;for(var e=this.s;e!==void 0;e=e.n)e.S.U(e)}};le.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var t=this.t;t!==void 0;t=t.x)t.t.N()}};Object.defineProperty(le.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var t=Nn(this);if(this.h(),t!==void 0&&(t.i=this.i),16&this.f)throw this.v;return this.v}});function Q(t,e){return new le(t,e)}function qn(t){var e=t.j;if(t.j=void 0,typeof e=="function"){z++;var n=S;S=void 0;try{e()}catch(r){throw t.f&=-2,t.f|=8,Rt(t),r}finally{S=n,Be()}}}function Rt(t){for(var e=t.s;e!==void 0;e=e.n)e.S.U(e);t.x=void 0,t.s=void 0,qn(t)}function jo(t){if(S!==this)throw new Error("Out-of-order effect");Ln(this),S=t,this.f&=-2;try{8&this.f&&Rt(this)}finally{Be()}}function fe(t,e){this.x=t,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=e?.name,ke&&ke.push(this)}fe.prototype.c=function(){var t=this.S();try{if(8&this.f||this.x===void 0)return;var e=this.x();typeof e=="function"&&(this.j=e)}finally{t()}};fe.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,qn(this),Mn(this),z++;var t=S;return S=this,jo.bind(this,t)};fe.prototype.N=function(){2&this.f||(this.f|=2,this.u=Se,Se=this)};fe.prototype.d=function(){this.f|=8,1&this.f||Rt(this)};fe.prototype.dispose=function(){this.d()};function C(t,e){var n=new fe(t,e);try{n.c()}catch(i){throw n.d(),i}var r=n.d.bind(n);return r[Symbol.dispose]=r,r}var Dn,Ve,Ge,Ao=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var Wn=[];C(function(){Dn=this.N})();function he(t,e){x[t]=e.bind(null,x[t]||function(){})}function Te(t){if(Ge){var e=Ge;Ge=void 0,e()}Ge=t&&t.S()}function Fn(t){var e=this,n=t.data,r=Ro(n);r.name="ReactiveDom",r.value=n;var i=D(function(){for(var a=e,c=e.__v;c=c.__;)if(c.__c){c.__c.__$f|=4;break}var d=Q(function(){var p=r.value.value;return p===0?0:p===!0?"":p||""}),l=Q(function(){return!Array.isArray(d.value)&&!ht(d.value)}),u=C(function(){if(this.N=Hn,l.value){var p=d.value;a.__v&&a.__v.__e&&a.__v.__e.nodeType===3&&(a.__v.__e.data=p)}}),g=e.__$u.d;return e.__$u.d=function(){u(),g.call(this)},[l,d]},[]),o=i[0],s=i[1];return o.value?s.peek():s.value}Fn.displayName="ReactiveTextNode";Object.defineProperties($.prototype,{constructor:{configurable:!0,value:hn(I,null).constructor},type:{configurable:!0,value:Fn},props:{configurable:!0,get:function(){var t=this;return{data:{get value(){return t.value}}}}},__b:{configurable:!0,value:1}});he("__b",function(t,e){if(Te(),Ve=void 0,typeof e.type=="string"){var n,r=e.props;for(var i in r)if(i!=="children"){var o=r[i];o instanceof $&&(n||(e.__np=n={}),n[i]=o,r[i]=o.peek())}}t(e)});he("__r",function(t,e){if(t(e),e.type!==I){Te();var n,r=e.__c;r&&(r.__$f&=-2,(n=r.__$u)===void 0&&(r.__$u=n=function(i,o){var s;return C(function(){s=this},{name:o}),s.c=i,s}(function(i){return function(){var o;Ao&&((o=this.y)==null||o.call(this)),i.__$f|=1,i.setState({})}}(r),typeof e.type=="function"?e.type.displayName||e.type.name:""))),Ve=r,Te(n)}});he("__e",function(t,e,n,r){Te(),Ve=void 0,t(e,n,r)});he("diffed",function(t,e){Te(),Ve=void 0;var n;if(typeof e.type=="string"&&(n=e.__e)){var r=e.__np,i=e.props,o=n.U;if(o)for(var s in o){var a=o[s];a===void 0||r&&s in r||(a.d(),o[s]=void 0)}if(r){o||(o={},n.U=o);for(var c in r){var d=o[c],l=r[c];d===void 0?(d=Oo(n,c,l,i),o[c]=d):d.o(l,i)}}}t(e)});function Oo(t,e,n,r){var i=e in t&&t.ownerSVGElement===void 0,o=w(n);return{o:function(s,a){o.value=s,r=a},d:C(function(){this.N=Hn;var s=o.value.value;r[e]!==s&&(r[e]=s,i?t[e]=s:s!=null&&(s!==!1||e[4]==="-")?t.setAttribute(e,s):t.removeAttribute(e))})}}he("unmount",function(t,e){if(typeof e.type=="string"){var n=e.__e;if(n){var r=n.U;if(r){n.U=void 0;for(var i in r){var o=r[i];o&&o.d()}}}var s=e.__np;if(s){var a=e.props;for(var c in s)a[c]=s[c]}e.__np=void 0}else{var d=e.__c;if(d){d.__$f|=8;var l=d.__$u;l&&(d.__$u=void 0,l.d())}}t(e)});he("__h",function(t,e,n,r){r<3&&(e.__$f|=2),t(e,n,r)});de.prototype.shouldComponentUpdate=function(t,e){if(this.__R)return!0;var n=this.__$u,r=n&&n.s!==void 0;for(var i in e)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===!0){var o=2&this.__$f;if(!(r||o||4&this.__$f)||1&this.__$f)return!0}else if(!(r||4&this.__$f)||3&this.__$f)return!0;for(var s in t)if(s!=="__source"&&t[s]!==this.props[s])return!0;for(var a in this.props)if(!(a in t))return!0;return!1};function Ro(t,e){return D(function(){return w(t,e)},[])}var $o=function(t){queueMicrotask(function(){queueMicrotask(t)})};function Po(){Ot(function(){for(var t;t=Wn.shift();)Dn.call(t)})}function Hn(){Wn.push(this)===1&&(x.requestAnimationFrame||$o)(Po)}var f=class{path;statuses;constructor(e,n={}){let r="/"+e.replace(/^\//,"").replace(/\{[A-Za-z_]\w*\}/g,"_");if(/^\/$|\/\//.test(r)||new URL("http://h"+r).pathname!==r)throw new TypeError("not a relative path template: "+JSON.stringify(e));this.path=e,this.statuses=n}typed(){return this}};var zn=new f("/api/auth/status"),Kn=new f("/api/auth/idp"),Bn=new f("/api/auth/refresh"),Gn=new f("/api/auth/me"),Vn=new f("/api/auth/logout"),Jn=new f("/api/auth/password",{put:[204]}),Yn=new f("/api/auth/password-link"),Qn=new f("/api/auth/key"),Xi=new f("/api/auth/proof",{post:[204]}),es=new f("/api/auth/sessions"),ts=new f("/api/auth/sessions/{id}",{delete:[204]});var os=new f("/api/settings/setup-required"),$t=new f("/api/settings/setup",{post:[200,201]}),is=new f("/api/settings/api-keys",{post:[201]}),ss=new f("/api/settings/api-keys/{id}/rotate"),as=new f("/api/settings/api-keys/{id}/take-over"),ls=new f("/api/settings/api-keys/{id}",{delete:[204]}),cs=new f("/api/settings/api-keys/verify"),ps=new f("/api/settings/people",{post:[201]}),ds=new f("/api/settings/people/{id}",{delete:[204]}),us=new f("/api/settings/people/{id}/password-link");function Xn(t){let e=URL.canParse(String(t))?new URL(t):void 0;if(!e||!/^https?:$/.test(e.protocol)||e.username||e.password||e.search||e.hash)throw new TypeError("baseUrl must be an absolute http(s) URL without credentials, query or fragment");return new URL(e.origin+e.pathname.replace(/\/*$/,"/"))}function er(t,e,n={},r={}){let i=e[0]==="/"?e.slice(1):e,o=new Set;i=i.replace(/\{(\w+)\}/g,(c,d)=>{o.add(d);let l="param "+d;if(!Object.hasOwn(n,d))throw new TypeError(l+" is missing");let u=Zn(l,n[d]);if(!u||!u.isWellFormed()||/(^|[/\\])\.\.?($|[/\\])/.test(u))throw new TypeError(l+" is empty, a dot segment or not Unicode");return Pt(u)});for(let c of Object.keys(n))if(!o.has(c))throw new TypeError(`param ${c} is not in the path`);let s=new URL(t.href+i);if(s.origin!==t.origin||s.pathname!==t.pathname+i)throw new TypeError("the path would change on its way");let a="";for(let c of Object.keys(r)){let d=r[c];for(let l of Array.isArray(d)?d:[d]){if(l==null)continue;let u="query "+c,g=l instanceof Date&&!isNaN(+l)?l.toISOString():Zn(u,l);a+=`${a?"&":"?"}${Pt(c)}=${Pt(g)}`}}return s.href+a}function Zn(t,e){let n=typeof e;if(n==="string")return e;if(n==="number"?!isFinite(e):n!=="boolean"&&n!=="bigint")throw new TypeError(t+" is not a finite scalar");return String(e)}function Pt(t){return/^[\w.~-]*$/.test(t)?t:encodeURIComponent(t.toWellFormed()).replace(/[!'()*]/g,e=>"%"+e.charCodeAt(0).toString(16).toUpperCase())}async function Je(t,e,n){let{headers:r,type:i}=t,o=r.get("content-length");if(o&&+o<=e&&i!=="cors"&&!r.get("content-encoding"))return t.text();let s=t.body?.getReader(),a=new TextDecoder,c="";for(let d=0;s;){let{done:l,value:u}=await s.read();if(l)break;if(d+=u.byteLength,d>e)return n(),await s.cancel(),"";c+=a.decode(u,{stream:!0})}return c+a.decode()}var Ct=Symbol.for("@berth/client");function It(t,e){let n=t;return n?.[Ct]===1&&(!e||n.name===e)}function Ye(t){return t.replace(/[^\P{Cc}\t\n]/gu,e=>"\\x"+e.charCodeAt(0).toString(16).padStart(2,"0"))}var K=class extends Error{static{Object.defineProperty(this.prototype,Ct,{value:1})}name="ClientError";method;url;constructor(e,{method:n,url:r},i){super(Ye(`${n} ${r.split("?",1)[0]}: ${e}`),i),this.method=n,this.url=r}},Qe=class extends K{name="TimeoutError"},Z=class extends K{name="NetworkError"},Ze=class extends K{name="ClosedError"},me=class extends K{name="BodyLimitError"};var Xe=class{#n=new AbortController;signal=this.#n.signal;#t;#e;#r;#o;#i;constructor(e,n,r){this.#t=e,this.#e=n,n.add(this),this.#r=r&&Co(r,()=>this.abort(r.reason))}arm(e){this.#e.exempt(this),clearTimeout(this.#o),e&&(this.#o=setTimeout(()=>this.expire(e),e))}expire(e){this.abort(new Qe(`nothing came within ${e/1e3} s`,this.#t))}abort(e){this.#i?.(e),this.#n.abort(e)}close(){this.abort(new Ze("the client is closed",this.#t))}until(e){return new Promise((n,r)=>{this.#i=r,this.signal.throwIfAborted(),e().then(n,r)})}end(){clearTimeout(this.#o),this.#r?.(),this.#e.delete(this)}},Nt=new WeakMap;function Co(t,e){if(t.aborted)return void e();let n=Nt.get(t);if(!n){let o=new Set;Nt.set(t,n={runs:o,fire:()=>o.forEach(s=>s())}),t.addEventListener("abort",n.fire)}let{runs:r,fire:i}=n;return r.add(e),()=>{r.delete(e)&&!r.size&&(Nt.delete(t),t.removeEventListener("abort",i))}}var Ut=class{#n;#t=0;#e;constructor(e){this.#n=e}ticket(){return this.#e??this.#r(()=>this.#n.authHeaders())}renew(e){if(e.generation!==this.#t)return this.ticket();this.#t++;let n=this.#e?.catch(()=>{});return this.#r(async()=>(await n,await this.#n.invalidate(),this.#n.authHeaders()))}#r(e){let n=this.#t,r=Promise.resolve().then(e).then(i=>{for(let o of Object.values(i))if(!/^[\t\x20-\x7e\x80-\xff]*$/.test(o))throw new TypeError("auth gave a header that cannot be sent");return{headers:i,generation:n}}).finally(()=>{this.#e===r&&(this.#e=void 0)});return r.catch(()=>{}),this.#e=r}},tr=new WeakMap;function nr(t){let e=tr.get(t);return e||tr.set(t,e=new Ut(t)),e}var et=class{constructor(e){Object.assign(this,e)}json(){try{return JSON.parse(this.text)}catch{throw new Mt(this)}}show(){let{text:e}=this;try{e=JSON.stringify(JSON.parse(e),null,2)}catch{}console.log(Ye(`${this.method} ${this.url}
${this.statusCode}
${e}`))}},tt=class extends K{name="StatusError";response;expectedStatus;constructor(e,n){let{statusCode:r,headers:i,text:o}=e,s=r>299&&r<400&&i.get("location"),a=(s?"redirects to "+s:o).slice(0,200);super(`status ${r}, expected ${n.join(" or ")}${a&&": "+a}`,e),this.response=e,this.expectedStatus=n}},Mt=class extends K{name="JsonError";response;constructor(e){let{statusCode:n,text:r}=e;super(`status ${n} ${r?"is not JSON: "+r.slice(0,200):"has no body"}`,e),this.response=e}};function X(t){return It(t,"StatusError")}var nt=class{#n;#t=new Map;#e;constructor(e){this.#n=e}add(e){this.#t.set(e,performance.now()+this.#n),this.#e??=setTimeout(this.#o,this.#n)}exempt(e){this.#t.set(e,1/0)}delete(e){this.#t.delete(e),this.#r(9)}[Symbol.iterator](){return this.#t.keys()}#r(e){if(!this.#t.size){if(e)return queueMicrotask(()=>this.#r(e-1));clearTimeout(this.#e),this.#e=void 0}}#o=()=>{this.#e=void 0;for(let[e,n]of this.#t){let r=n-performance.now();if(r!==1/0){if(r>=1)return void(this.#e=setTimeout(this.#o,r));e.expire(this.#n)}}}};function rr(t,{verifyTls:e,caCerts:n,fetch:r}){let i=n||e!==void 0;if(n&&(!n.length||e===!1)||r&&i)throw new TypeError("caCerts needs a certificate and verifyTls, and fetch takes neither");if(!r&&t.protocol==="https:"&&(n||!e)){let o=Io();if(o)return No(o,t,n);if(i)throw new TypeError("this runtime cannot change how TLS is verified")}return{send:r??((o,s)=>fetch(o,s)),close(){}}}function Io(){let{process:t}=globalThis;return t?.getBuiltinModule?.("node:https")}function No(t,e,n){let r=new t.Agent({keepAlive:!0,rejectUnauthorized:!!n,ca:n??[]}),i=n;return{send:(s,{method:a,headers:c,body:d,signal:l})=>(i||(i=[],console.warn(`TLS certificates of ${e.origin} are not verified: set caCerts or verifyTls`)),new Promise((u,g)=>{let p={...c,"accept-encoding":"identity"},m=t.request(s,{method:a,headers:p,agent:r},y=>{try{u(Uo(y,()=>m.destroy()))}catch(_){g(_),m.destroy()}});l.addEventListener("abort",()=>m.destroy()),m.on("error",g),m.end(d)})),close:()=>r.destroy()}}function Uo(t,e){let{statusCode:n,rawHeaders:r}=t,i=new Headers;for(let a=0;a<r.length;a+=2)i.append(r[a],r[a+1]);if([204,205,304].includes(n))return t.resume(),new Response(null,{status:n,headers:i});if((i.get("content-encoding")??"identity")!=="identity")throw new TypeError("the body came encoded, unasked");let o=t[Symbol.asyncIterator](),s=new ReadableStream({async pull(a){let{done:c,value:d}=await o.next();if(!c)a.enqueue(d);else if(t.complete)a.close();else throw new TypeError("the body was cut short")},cancel:e});return new Response(s,{status:n,headers:i})}var rt=class{base;login;ownTls;#n;#t;#e;#r=!1;constructor(e){let{baseUrl:n,auth:r,timeoutS:i=15,maxBodyBytes:o=2**26}=e;if(this.base=Xn(n),!(i>0&&o>0))throw new TypeError("timeoutS and maxBodyBytes must be above 0");this.#e=new nt(Math.min(Math.ceil(i*1e3),2**31-1)),this.#n=o,this.login=r&&nr(r),this.ownTls=!!e.caCerts||e.verifyTls===!1,this.#t=rr(this.base,e)}prepare(e,n,r,i,o){let{params:s,query:a,payload:c,ifMatch:d,ifNoneMatch:l,expectedStatus:u=i}=r,g=typeof u=="number"?[u]:[...u];if(!g.length||!g.every(Number.isInteger))throw new TypeError("expectedStatus holds no integers");let p=er(this.base,n,s,a),m=JSON.stringify(c);if(c!==void 0&&(m===void 0||e==="GET"))throw new TypeError("the payload is not JSON, or not for GET");let y={accept:o};return m!==void 0&&(y["content-type"]="application/json"),d!==void 0&&(y["if-match"]=d),l!==void 0&&(y["if-none-match"]=l),{method:e,url:p,body:m,expected:g,headers:y}}begin(e,n){let r=new Xe(e,this.#e,n);return this.#r&&r.close(),r}async send(e,n){let r=await this.login?.ticket(),i=await this.#o(e,n,r);return r&&i.status===401&&(await this.read(e,n,i),r=await this.login.renew(r),i=await this.#o(e,n,r)),i}async read(e,n,r){let{method:i,url:o}=e,{status:s,headers:a}=r;try{let c=await Je(r,this.#n,()=>{n.abort(new me(`the body is longer than ${this.#n} bytes`,e))});return new et({statusCode:s,text:c,headers:a,method:i,url:o})}catch(c){throw new Z(or(c),e,{cause:c})}}async settle(e,n,r){let i=await this.read(e,n,r);if(!e.expected.includes(i.statusCode))throw new tt(i,e.expected);return i}close(){this.#r=!0;for(let e of this.#e)e.close();this.#t.close()}async#o(e,{signal:n},r){n.throwIfAborted();let{method:i,url:o,body:s}=e,a={...r?.headers,...e.headers},c={method:i,headers:a,body:s??null,signal:n,redirect:"manual"},d;try{d=await this.#t.send(o,c)}catch(l){throw new Z(or(l),e,{cause:l})}if(d.type==="opaqueredirect")throw new Z("redirected, and a browser does not tell where to",e);return d}};function or(t){let e=t;for(let n=0,r;n<9&&(r=e.cause??e.errors?.[0]);n++)e=r;return(e.message||e.code||String(e)).slice(0,200)}var Lt,ge=class{#n;static{Lt=e=>e.#n}constructor(e){this.#n=new rt(e)}get(e,...n){return this.#t("GET",[200],e,n[0])}post(e,...n){return this.#t("POST",[200,201],e,n[0])}put(e,...n){return this.#t("PUT",[200,201],e,n[0])}delete(e,...n){return this.#t("DELETE",[200,201,204],e,n[0])}close(){this.#n.close()}[Symbol.dispose](){this.close()}[Symbol.asyncDispose](){return Promise.resolve(this.close())}async#t(e,n,{path:r,statuses:i},o={}){let s=this.#n,a=i[e.toLowerCase()]??n,c=s.prepare(e,r,o,a,"application/json, */*;q=0.5"),d=s.begin(c,o.signal);try{return await d.until(async()=>s.settle(c,d,await s.send(c,d)))}finally{d.end()}}};var M=w(void 0),ar=w(null),Mo=w(null),ir=w(void 0),lr=w(null);function U(t){return(M.value??pr)?.grants.some(({permissions:e})=>e.includes(t))===!0}var ot="berth.binding",cr="berth.signed-out",ce=null,sr=null,qt=null,pr=null,ee=new ge({baseUrl:location.origin,fetch:(t,e)=>fetch(t,{...e,headers:{...e.headers,"x-berth":qo()}})}),Lo={async authHeaders(){let t=ce!==null&&ce.until>Date.now()?ce.token:await fr();return t===null?{}:{authorization:`Bearer ${t}`}},invalidate(){ce=null}},R=new ge({baseUrl:location.origin,auth:Lo});function qo(){let t=localStorage.getItem(ot);if(t!==null)return t;let e=We(crypto.getRandomValues(new Uint8Array(32)));return localStorage.setItem(ot,e),e}function xe({accessToken:t,expiresIn:e,principal:n}){ce={token:t,until:Date.now()+(e-20)*1e3},ar.value=!1,lr.value=null,dr(n)}function dr(t){let e=`${t.kind}:${t.id}`;qt!==null&&qt!==e&&location.reload(),qt=e,pr=t,JSON.stringify(t)!==JSON.stringify(M.peek())&&(M.value=t)}async function ur(){try{dr((await R.get(Gn)).json())}catch{}}function fr(){return sr??=(async()=>{try{let t=async()=>(await ee.post(Bn)).json();return xe(await(navigator.locks?.request("berth.refresh",t)??t())),ce.token}catch(t){if(!X(t)||![401,403].includes(t.response.statusCode))throw t;return Dt(),null}finally{sr=null}})()}async function Xs(t){addEventListener("storage",({key:e})=>e===cr&&Dt());try{if(t!==null&&await Do(t)||localStorage.getItem(ot)!==null&&await fr()!==null)return;let e=(await ee.get(zn)).json();ar.value=e.setupRequired,Mo.value=e.provider,M.value=null}catch(e){lr.value=e}}async function Do({code:t}){try{return t===null?ir.value=null:xe((await ee.post(Kn,{payload:t})).json()),t!==null}catch(e){return ir.value=e,!1}}async function ea(t,e){xe((await ee.post(Jn,{payload:{name:t,password:e}})).json())}async function ta(t){xe((await ee.post(Qn,{payload:{key:t}})).json())}async function na(t,e){xe((await ee.post(Yn,{payload:{token:t,password:e}})).json())}async function ra(t,e,n){let r=(await ee.post($t,{payload:{token:t,name:e,password:n}})).json();"accessToken"in r&&xe(r)}async function oa(t,e){let n=(await ee.post($t,{payload:{token:t,name:e}})).json();return"key"in n?n.key:null}function ia(t){return new Promise(e=>{let n=C(()=>{(M.value||t.aborted)&&queueMicrotask(r)}),r=()=>{n(),t.removeEventListener("abort",r),e()};t.addEventListener("abort",r)})}async function sa(){try{await R.post(Vn)}finally{localStorage.removeItem(ot),localStorage.setItem(cr,String(Date.now())),Dt()}}function Dt(){ce=null,M.value=null}var hr=new f("/api/live");var Wt="berth.v1",Wo=1,Fo=2**24,Ho=[401,403];async function gr(t,e,...n){let r=n[0]??{},i=Lt(t),o=i.prepare("GET",e.path,r,[101],""),{webSocket:s}=r;if(!s){if(typeof WebSocket!="function")throw new TypeError("this runtime has no WebSocket: give a webSocket");if(i.ownTls&&o.url.startsWith("https:"))throw new TypeError("a WebSocket always verifies the runtime's way: caCerts and verifyTls need a webSocket")}let a=s??((d,l)=>new WebSocket(d,l)),c=i.begin(o,r.signal);try{return await c.until(async()=>{let d=await i.login?.ticket(),l=await mr(a,o,d,c);if(!l&&d){let u={query:r.query,signal:c.signal},g=new f(e.path);await t.get(g,{...u,params:r.params}).catch(m=>{if(X(m)&&Ho.includes(m.response.statusCode))throw m});let p=await i.login?.ticket();p?.generation!==d.generation&&(l=await mr(a,o,p,c))}if(!l)throw je(o,"the WebSocket was refused");return c.arm(),zo(l,o,c)})}catch(d){throw c.end(),c.abort(d),d}}function mr(t,e,n,{signal:r}){r.throwIfAborted();let i=[Wt];if(n){let[,s=""]=/^Bearer (.+)$/i.exec(n.headers.authorization??"")??[];if(!/^[\w!#$%&'*+.^`|~-]+$/.test(s))throw new TypeError("a socket needs a bearer token of letters and digits");i.push(`berth.bearer.${s}`)}let o=t(e.url.replace(/^http/,"ws"),i);return o.binaryType="arraybuffer",new Promise((s,a)=>{r.addEventListener("abort",()=>o.close(1e3)),o.onerror=o.onclose=()=>s(void 0),o.onopen=()=>{if(o.onopen=o.onerror=o.onclose=null,o.protocol===Wt)return s(o);o.close(1e3),a(je(e,`the server does not speak ${Wt}`))}})}function zo(t,e,n){let r=[],i=0,o,s,a=u=>{o??=u,n.end(),s?.()},c=(u=1e3,g="")=>{if(u!==1e3&&!(u>=3e3&&u<=4999))throw new TypeError("a closing code is 1000, or 3000 to 4999");t.close(u,g)};n.signal.addEventListener("abort",()=>{a({error:n.signal.reason}),t.close(1e3)}),t.onmessage=({data:u})=>{if(o)return;let g=typeof u=="string"?u:new Uint8Array(u);r.push(g),(i+=g.length)>Fo&&(a({error:new me("16 MiB wait unread",e)}),t.close(4e3,"too much unread")),s?.()};let d=new Promise(u=>{t.onclose=({code:g,reason:p})=>{a(g===1006?{error:je(e,"the connection was lost")}:{}),u({code:g,reason:p})}});async function*l(){try{for(;;){let u=r.shift();if(u!==void 0)i-=u.length,typeof u=="string"?yield*Ko(Bo(u,e)):yield u;else if(o){if("error"in o)throw o.error;return}else await new Promise(g=>s=g)}}finally{t.close(1e3)}}return{closed:d,close:c,send(u){if(t.readyState!==Wo)throw je(e,"the connection is not open");t.send(u instanceof Uint8Array?u:JSON.stringify(u))},[Symbol.asyncIterator]:l,[Symbol.dispose]:()=>c(),async[Symbol.asyncDispose](){c();let u;await Promise.race([d,new Promise(g=>u=setTimeout(g,3e3))]),clearTimeout(u)}}}function Ko(t){let{type:e,items:n}=t??{};return e==="batch"&&Array.isArray(n)?n:[t]}function Bo(t,e){try{return JSON.parse(t)}catch(n){throw je(e,"a message is not JSON: "+t.slice(0,200),n)}}function je(t,e,n){return new Z(e,t,{cause:n})}var it=500,xr=1e4,Go=25e3,Vo=2**24,st=class{#n;#t;#e=new Map;#r=new AbortController;#o=null;#i="idle";#f=1;#a=!1;#l=()=>{};#p=0;constructor(e,n={}){this.#n=e,this.#t=n}get state(){return this.#i}get skewMs(){return this.#p}subscribe(e,n,r){let i=String(this.#f++),o={feed:e,asked:{...n},listener:r,pending:null,pauseMs:it,timer:void 0};return this.#e.set(i,o),this.#o!==null?this.#c(i,o):this.#d(),()=>{clearTimeout(o.timer),this.#e.delete(i)&&this.#u({type:"unsubscribe",id:i})}}retry(){this.#l(),this.#e.size>0&&this.#d()}close(){for(let{timer:e}of this.#e.values())clearTimeout(e);this.#e.clear(),this.#r.abort(),this.#l()}[Symbol.dispose](){this.close()}async#d(){if(this.#a||this.#r.signal.aborted)return;this.#a=!0;let e=it;for(;!this.#r.signal.aborted;){try{this.#i!=="lost"&&this.#s("connecting"),await this.#h(()=>e=it),this.#s("lost")}catch(n){if(this.#r.signal.aborted)break;if(X(n)&&n.response.statusCode===401){this.#s("refused",n);break}this.#s("lost",n)}await this.#x(e*(.5+Math.random()/2)),e=Math.min(e*2,xr)}this.#a=!1,this.#r.signal.aborted&&this.#s("idle")}async#h(e){let{webSocket:n,silenceMs:r=Go,gzip:i=!1}=this.#t,{signal:o}=this.#r,s=new AbortController,a,c=()=>{clearTimeout(a),a=setTimeout(()=>s.abort(new Error("nothing was heard for too long")),r)};try{await using d=await gr(this.#n,hr,{signal:AbortSignal.any([o,s.signal]),...i?{query:{gzip:i}}:{},...n===void 0?{}:{webSocket:n}});c(),this.#o=d;for(let[l,u]of this.#e)clearTimeout(u.timer),this.#c(l,u);for await(let l of d)c(),this.#i!=="live"&&(e(),this.#s("live")),this.#m(l instanceof Uint8Array?await Jo(l):l)}finally{clearTimeout(a),this.#o=null}}#c(e,n){n.pending=null,this.#u({...n.asked,type:"subscribe",id:e,feed:n.feed})}#u(e){try{this.#o?.send(e)}catch{}}#m(e){if(e.type==="beat"&&(this.#p=Date.now()-Date.parse(e.time)),!("id"in e))return;let n=this.#e.get(e.id);if(n===void 0)return;if(e.type==="ended")return this.#g(n,e);let r=e.type==="rows"?Yo(n,e):e;if(r!==null){if("cursor"in e&&(n.asked.since=e.cursor),"cursors"in e)n.asked.cursors={...n.asked.cursors,...e.cursors};else if(e.type==="sources"&&n.asked.cursors!==void 0){let i=e.items.filter(({state:s})=>s==="ended").map(({source:s})=>s),o=Object.entries(n.asked.cursors).filter(([s])=>!i.includes(s));n.asked.cursors=Object.fromEntries(o)}n.pauseMs=it,n.listener.message(r)}}#g(e,{id:n,code:r,title:i,status:o}){let s={code:r,title:i,status:o};if(o<500&&o!==429)return this.#e.delete(n),e.listener.ended?.(s);e.timer=setTimeout(()=>this.#o!==null&&this.#c(n,e),e.pauseMs),e.pauseMs=Math.min(e.pauseMs*2,xr),e.listener.failed?.(s)}#s(e,n){this.#i!==e&&(this.#i=e,this.#t.onState?.(e,n))}#x(e){return new Promise(n=>{let r=setTimeout(n,e);this.#l=()=>{clearTimeout(r),n()}})}};async function Jo(t){let e=new Blob([t]).stream().pipeThrough(new DecompressionStream("gzip"));return JSON.parse(await Je(new Response(e),Vo,()=>{throw new Error("a message is longer than 16 MiB")}))}function Yo(t,e){let n=t.pending,r=n===null?e:Object.assign(n,{...e,put:Object.assign(n.put,e.put),removed:[...n.removed,...e.removed]});return t.pending=e.cursor===void 0?r:null,e.cursor===void 0?null:r}var te=w(null),Ae=new st(R,{gzip:!0,onState:t=>{t==="live"?(te.value?.live===!1&&ur(),te.value={live:!0,since:Date.now()}):te.value?.live===!0&&(te.value={live:!1,since:Date.now()})}}),Ft=(t=Date.now())=>t-Ae.skewMs;function wr(){C(()=>{M.value&&Ae.retry()}),addEventListener("online",()=>Ae.retry()),document.addEventListener("visibilitychange",()=>document.visibilityState==="visible"&&Ae.retry())}function we(t,e,n){return Ae.subscribe(t,e,n)}var Ht=w(0),Qo=200,_r={container:"events:read",image:"images:read",volume:"volumes:read",network:"networks:read"},vr;function at(){vr??=setTimeout(()=>{vr=void 0,Ht.value++},Qo)}function yr(){let t=!0;return()=>{t||at(),t=!1}}function Zo(t){return M.value?.permissions.includes(t)===!0}function Aa(){wr(),C(()=>{if(!M.value)return;let t=[];if(U("events:read")&&U("containers:read")){let e=Object.keys(_r).filter(n=>U(_r[n]));t.push(we("events",{kinds:e},{message:({items:n})=>n.length>0&&at()}))}return U("workspaces:read")&&t.push(we("workspaces",{},{message:yr()})),U("artifacts:read")&&!Zo("workspaces:read")&&t.push(we("declared",{},{message:yr()})),()=>t.forEach(e=>e())})}var Oe=w(new URL(location.href)),br=Q(()=>Oe.value.searchParams);function Re(t,{replace:e=!1}={}){let n=new URL(t,location.href);if(n.href===location.href)return;let r=n.pathname!==location.pathname;history[e?"replaceState":"pushState"](null,"",n),Oe.value=n,r&&scrollTo(0,0)}function kr(t){let e=new URL(Oe.value);for(let[n,r]of Object.entries(t))r===null||r===""?e.searchParams.delete(n):e.searchParams.set(n,r);return e.pathname+e.search}function $a(){addEventListener("popstate",()=>Oe.value=new URL(location.href)),document.addEventListener("click",t=>{if(t.defaultPrevented||t.button!==0||t.metaKey||t.ctrlKey||t.shiftKey)return;let e=t.target.closest?.("a");!e||e.target!==""||e.origin!==location.origin||e.pathname.startsWith("/api/")||e.getAttribute("href")?.startsWith("#")||(t.preventDefault(),Re(e.href))})}function Pa(t){let[,e,n]=/^#(\w+)=(.+)$/.exec(location.hash)??[];return e!==t||n===void 0?null:(history.replaceState(null,"",location.pathname+location.search),Oe.value=new URL(location.href),decodeURIComponent(n))}var Sr=[31536e3,2592e3,86400,3600,60,1],Er=["B","KB","MB","GB","TB"];function Tr(t,e){let n=new Intl.NumberFormat(t),r=new Intl.NumberFormat(t,{minimumFractionDigits:1,maximumFractionDigits:1}),i={hour:"2-digit",minute:"2-digit"},o={...i,second:"2-digit"};return{number:n,clock:new Intl.DateTimeFormat(t,o),minute:new Intl.DateTimeFormat(t,i),moment:new Intl.DateTimeFormat(t,{day:"numeric",month:"short",...o}),day:new Intl.DateTimeFormat(t,{day:"numeric",month:"short",year:"numeric"}),count:(s,a,c)=>`${n.format(s)} ${s===1?a:c}`,duration:s=>{let a=Math.max(1,Math.round(s/1e3)),c=Sr.findIndex(d=>a>=d);return`${Math.floor(a/Sr[c])} ${e[c]}`},bytes:s=>{let a=Math.min(Er.length-1,Math.floor(Math.log10(Math.max(1,s))/3)),c=s/1e3**a;return`${c<10&&a>0?r.format(c):Math.round(c)} ${Er[a]}`}}}var{number:L,clock:$e,minute:jr,moment:Ar,day:zt,count:pe,duration:Or,bytes:Rr}=Tr("en-GB",["y","mo","d","h","min","s"]);var Xo=new Intl.NumberFormat("en",{maximumFractionDigits:1}),$r={word:"Measures",show:"Measure",span:"The last ten minutes; 100 % is one processor.",notRunning:"It does not run, so there is nothing to measure.",none:"nothing yet",percent:t=>`${Xo.format(t)} %`,perSecond:t=>`${t}/s`,of:t=>`of ${t}`,chart:(t,e,n)=>`${t}: ${e}, at most ${n}`,title:{cpu:"CPU",memory:"Memory",received:"Network, received",sent:"Network, sent",read:"Disk, read",written:"Disk, written"}};var Pr={title:"Projects",list:"List",folders:"Folders",noRight:"You may not see projects. Ask an admin for the permission artifacts:read.",allWell:t=>`Everything runs as written (${pe(t,"project","projects")})`,filter:"Filter projects",noMatch:"No project matches.",showAll:"Show all",name:"Project",state:"State",running:"Running",ports:"Ports",engine:"Engine",runningOf:(t,e)=>`${L.format(t)} of ${L.format(e)}`,runningOfUnknown:t=>`${L.format(t)} of ?`,unfold:t=>`Show the services of ${t}`,fold:t=>`Hide the services of ${t}`,away:(t,e)=>e===null?`engine ${t} is away`:`engine ${t} has been away for ${e}`,stopped:(t,e)=>`stopped${t?" by hand":""}${e===null?"":` ${e} ago`}`,services:t=>pe(t,"service","services"),more:t=>`${L.format(t)} more`,bring:"Bring in line",start:"Start",update:"Update"};var ei={en:"English",de:"Deutsch"},Ir="berth.language",Bt=globalThis.document,Cr=t=>t!==null&&Object.hasOwn(ei,t),Kt=ti();function ti(){if(Bt===void 0)return"en";let t=localStorage.getItem(Ir);return Cr(t)?t:navigator.languages.map(n=>n.toLowerCase().split("-")[0]).find(Cr)??"en"}function Da(t){localStorage.setItem(Ir,t),location.reload()}async function Nr(t){Bt!==void 0&&(Bt.documentElement.lang=Kt);let e=t;if(Kt==="en")return e;try{let n=`/${Kt}.js`;return Ur(e,(await import(n)).words)}catch{return e}}function Ur(t,e){if(typeof t!="object"||t===null)return typeof e==typeof t?e:t;let n=e??{},r=Object.entries(t).map(([i,o])=>[i,Ur(o,n[i])]);return{...n,...Object.fromEntries(r)}}var Gt={asWritten:"as written",differs:"differs",broken:"broken",stopped:"stopped",notStarted:"not started",completed:"completed",paused:"paused",unknown:"unknown",undeclared:"not declared"},ni={name:"berth",title:t=>`${t} \xB7 berth`,number:t=>L.format(t),duration:Or,time:t=>$e.format(t),minute:t=>jr.format(t),moment:t=>Ar.format(t),day:t=>zt.format(t),bytes:Rr,printed:(t,e)=>`${t}, ${zt.format(e)}, ${$e.format(e)}`,ago:t=>`${t} ago`,verdict:t=>Gt[t],state:({state:t,condition:e,exitCode:n,health:r,restartCount:i})=>[t==="exited"&&n!==null?`exited ${n}`:t,t==="restarting"&&n!==null?`exit ${n}`:"",r==="unhealthy"||r==="starting"?r:"",e==="restarting"&&i>1?`${L.format(i)} restarts`:""].filter(o=>o!=="").join(", "),compared:(t,e)=>`${t}, ${Gt[e]}`,noRight:t=>`You may not see this. Ask an admin for the permission ${t}.`,lacks:t=>`This needs the permission ${t}`,skip:"Skip to the content",cancel:"Cancel",close:"Close",copy:"Copy",copied:"Copied",saved:"I have saved it",actions:"Actions",actOn:(t,e)=>`${t} ${e}`,again:"Try again",loading:"Reading \u2026",nav:{label:"Screens",overview:"Projects",containers:"Containers",resources:"Resources",activity:"Activity",settings:"Settings",within:t=>`Screens of ${t}`},proofDone:"You can close this window.",titles:{newProject:"New project",plan:"Plan",planOf:t=>`Plan for ${t}`,apply:"Apply",logs:"Logs",images:"Images",volumes:"Volumes",networks:"Networks",disk:"Disk",events:"Events",audit:"Audit",setup:"Set up berth",keys:"API keys",people:"People",sessions:"My sessions",engines:"Engines",setPassword:"Set your password"},palette:{open:"Go to \u2026",title:"Go to or do",input:"A screen, a project, a container or an action",none:"Nothing fits.",screen:"screen",project:"project",unit:"unit",container:"container",action:"action",keys:"Keys"},projects:Pr,measures:$r,bar:{live:"live",notLive:t=>`not live since ${$e.format(t)}`,connecting:"connecting",engine:(t,e)=>`${t}: ${e}`,person:t=>`Signed in as ${t}`,signOut:"Sign out",api:"The API",language:"Language",dense:"Dense rows",roomy:"Rows with more room",themes:{system:"Colours of the system",light:"Light colours",dark:"Dark colours"}},problem:{notReached:"berth does not answer",status:t=>`berth answered with status ${t}`,request:t=>`Request ${t}`,stale:t=>`What you see was read at ${$e.format(t)}`,away:(t,e)=>`${t} does not answer: ${e}`,unlisted:(t,e,n)=>`${t} does not list its ${e.join(" and ")}: ${n}`,unloaded:"This screen could not be loaded. Reload the page.",notFound:"There is no such screen",toOverview:"To the projects"},signIn:{title:"Sign in",name:"Name",password:"Password",key:"API key",submit:"Sign in",withKey:"Sign in with an API key",at:t=>`Sign in with ${t}`,refused:t=>`${t} did not let you in`,withPassword:"Sign in with a password",ended:"Your session has ended. Sign in to go on where you were.",keyHint:"It buys a session and is not stored in this browser."},overview:{title:"Projects",question:"Is what runs what I wrote?",checked:t=>`checked ${t} ago`,count:(t,e)=>t==="differs"?pe(e,"differs","differ"):`${L.format(e)} ${Gt[t]}`,register:"Register a folder",log:"Log"},unit:{declared:"declared",runs:"runs",none:"nothing runs",mount:(t,e,n)=>`the container reads the file of ${e}; ${t==="deleted"?"it was deleted":t==="changedSince"?"it was written to":"it was replaced"}${n===null?"":` at ${n}`}`,restarting:"restarting",exited:t=>t===null?"exited":`exited with ${t}`,ended:(t,e,n)=>[t===null?"":`exit ${t}`,e===0?"":pe(e,"restart","restarts"),n??""].filter(r=>r!=="").join(", "),unhealthy:"unhealthy",dead:"dead",degraded:(t,e)=>e===null?`${t} run`:`${t} of ${e} run`,at:"written at"},containers:{together:"Logs together",toList:"To the containers",title:"Containers",filter:"Filter by name, image, project or label",all:"all states",allProjects:"all projects",allEngines:"all engines",engine:"Engine",arrived:t=>`${L.format(t)} new`,shown:(t,e)=>t===e?pe(e,"container","containers"):`${L.format(t)} of ${L.format(e)}`,name:"Name",state:"State",project:"Project",image:"Image",ports:"Ports",since:"Since",choose:t=>`Choose ${t}`,chooseAll:"Choose all that are shown",chosen:t=>`${L.format(t)} chosen`,clear:"Choose none",none:"No container exists on any engine.",noneHint:"As soon as one is made it shows here.",noMatch:"No container fits.",showAll:"Show all",noRight:"You may not see containers. Ask an admin for the permission containers:read.",start:"Start",stop:"Stop",restart:"Restart",remove:"Remove",done:{start:"started",stop:"stopped",restart:"restarted",remove:"removed"},unchanged:"was so already",working:"\u2026",results:"Results"}},b=await Nr(ni);var Mr=`/* Colours, sizes and what every element begins with. */
@layer base, parts, screens, print;

@layer base {
  :root {
    color-scheme: light dark;
    &[data-theme="light"] {
      color-scheme: light;
    }
    &[data-theme="dark"] {
      color-scheme: dark;
    }
    --ground: light-dark(oklch(0.99 0.003 240), oklch(0.17 0.012 250));
    --raised: light-dark(oklch(0.97 0.005 240), oklch(0.21 0.014 250));
    --hairline: light-dark(oklch(0.9 0.008 240), oklch(0.28 0.015 250));
    --field: light-dark(oklch(0.62 0.02 240), oklch(0.55 0.02 250));
    --text: light-dark(oklch(0.22 0.015 250), oklch(0.93 0.008 240));
    --quiet: light-dark(oklch(0.48 0.015 250), oklch(0.7 0.012 240));
    --accent: light-dark(oklch(0.52 0.13 240), oklch(0.74 0.12 240));
    --on-accent: light-dark(oklch(0.99 0.003 240), oklch(0.17 0.02 250));
    --as-written: light-dark(oklch(0.52 0.12 150), oklch(0.76 0.12 150));
    --differs: light-dark(oklch(0.52 0.12 75), oklch(0.76 0.12 75));
    --broken: light-dark(oklch(0.52 0.17 25), oklch(0.74 0.14 25));
    --unknown: var(--quiet);
    --differs-ground: light-dark(oklch(0.955 0.035 80), oklch(0.27 0.04 75));
    --declared-ground: light-dark(oklch(0.945 0.04 150), oklch(0.27 0.045 150));
    --actual-ground: light-dark(oklch(0.945 0.035 25), oklch(0.28 0.05 25));
    --shadow: light-dark(oklch(0.2 0.02 250 / 0.18), oklch(0 0 0 / 0.6));
    --selection: light-dark(oklch(0.86 0.06 240), oklch(0.36 0.06 240));
    /* What programs colour their text with, so that all of it can be read on the ground. */
    --ansi-0: light-dark(oklch(0.25 0.01 250), oklch(0.55 0.01 250));
    --ansi-1: light-dark(oklch(0.5 0.18 25), oklch(0.72 0.15 25));
    --ansi-2: light-dark(oklch(0.5 0.13 150), oklch(0.76 0.14 150));
    --ansi-3: light-dark(oklch(0.52 0.11 80), oklch(0.79 0.13 85));
    --ansi-4: light-dark(oklch(0.5 0.15 260), oklch(0.72 0.13 255));
    --ansi-5: light-dark(oklch(0.5 0.17 325), oklch(0.74 0.14 325));
    --ansi-6: light-dark(oklch(0.51 0.09 205), oklch(0.78 0.1 205));
    --ansi-7: light-dark(oklch(0.5 0.01 250), oklch(0.84 0.01 250));
    --ansi-8: light-dark(oklch(0.45 0.012 250), oklch(0.66 0.012 250));
    --ansi-9: light-dark(oklch(0.46 0.2 25), oklch(0.78 0.15 25));
    --ansi-10: light-dark(oklch(0.45 0.13 150), oklch(0.84 0.15 150));
    --ansi-11: light-dark(oklch(0.47 0.11 80), oklch(0.87 0.13 90));
    --ansi-12: light-dark(oklch(0.45 0.17 260), oklch(0.79 0.12 255));
    --ansi-13: light-dark(oklch(0.45 0.18 325), oklch(0.81 0.14 325));
    --ansi-14: light-dark(oklch(0.46 0.09 205), oklch(0.86 0.1 205));
    --ansi-15: light-dark(oklch(0.22 0.015 250), oklch(0.96 0.005 250));
    --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
    --row: 32px;
    --edge: 24px;
  }

  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }

  html {
    height: 100%;
  }

  body {
    margin: 0;
    min-height: 100%;
    background: var(--ground);
    color: var(--text);
    font: 13px/20px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
    font-variant-numeric: tabular-nums;
    text-rendering: optimizeLegibility;
    -webkit-font-smoothing: antialiased;
  }

  #page {
    display: flex;
    flex-direction: column;
    min-height: 100dvh;
  }
  main {
    flex: 1;
    min-width: 0;
    padding: 0 var(--edge) 48px;
    outline: none;
  }

  h1,
  h2,
  p,
  ul,
  dl,
  dd {
    margin: 0;
    padding: 0;
  }
  ul {
    list-style: none;
  }
  h1 {
    font-size: 20px;
    line-height: 28px;
    font-weight: 600;
    letter-spacing: -0.01em;
    overflow-wrap: anywhere;
  }
  h2 {
    font-size: 15px;
    line-height: 20px;
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  code {
    font: 12px/18px var(--mono);
    overflow-wrap: anywhere;
    unicode-bidi: isolate;
  }
  strong {
    font-weight: 600;
  }
  a {
    color: inherit;
    text-decoration: none;
    unicode-bidi: isolate;
  }
  a:hover {
    color: var(--accent);
    text-decoration: underline;
    text-underline-offset: 3px;
  }

  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
    border-radius: 3px;
  }

  button,
  input,
  select {
    font: inherit;
    color: inherit;
  }

  input:is([type="text"], [type="password"], [type="search"]),
  select {
    min-height: 32px;
    padding: 0 10px;
    border: 1px solid var(--field);
    border-radius: 6px;
    background: var(--ground);
  }
  input:focus-visible,
  select:focus-visible {
    outline-offset: -1px;
    border-radius: 6px;
  }
  input[type="checkbox"] {
    width: 14px;
    height: 14px;
    margin: 0;
    accent-color: var(--accent);
  }
  ::placeholder {
    color: var(--quiet);
    opacity: 1;
  }

  .quiet {
    color: var(--quiet);
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }

  .skip {
    position: absolute;
    inset: -60px auto auto 8px;
    z-index: 9;
    padding: 8px 12px;
    background: var(--ground);
  }
  .skip:focus {
    inset-block-start: 8px;
  }

  @media (max-width: 640px) {
    :root {
      --edge: 16px;
    }
    /* A phone zooms into a field with smaller text. */
    input,
    select {
      font-size: 16px;
    }
  }
}
`;var Lr=`/* What several screens are made of. */
@layer parts {
  .bar {
    position: sticky;
    top: 0;
    z-index: 5;
    display: flex;
    align-items: center;
    gap: 20px;
    height: 48px;
    padding: 0 var(--edge);
    background: var(--ground);
    border-bottom: 1px solid var(--hairline);
  }
  .brand {
    display: flex;
    align-items: center;
    gap: 8px;
    font-size: 15px;
    font-weight: 650;
    letter-spacing: -0.01em;
  }
  .brand:hover {
    color: inherit;
    text-decoration: none;
  }
  .brand svg {
    width: 18px;
    fill: none;
    stroke: var(--accent);
    stroke-width: 1.8;
    stroke-linecap: round;
  }
  .bar nav {
    display: flex;
    gap: 4px;
    height: 100%;
    min-width: 0;
    overflow-x: auto;
    scrollbar-width: none;
  }
  .bar nav a {
    display: flex;
    align-items: center;
    padding: 0 10px;
    color: var(--quiet);
    border-block: 2px solid transparent;
  }
  .bar nav a:hover {
    color: var(--text);
    text-decoration: none;
  }
  .bar nav a[aria-current] {
    color: var(--text);
    border-bottom-color: var(--accent);
  }

  .liveness {
    display: flex;
    align-items: center;
    gap: 6px;
    margin-inline-start: auto;
    font-size: 12px;
    color: var(--quiet);
    white-space: nowrap;
  }
  .dot {
    width: 7px;
    height: 7px;
    border-radius: 50%;
    background: var(--as-written);
  }
  .is-not-live {
    color: var(--differs);
  }
  .is-not-live .dot {
    background: none;
    box-shadow: inset 0 0 0 2px var(--differs);
  }

  .person {
    position: relative;
  }
  .person summary {
    max-width: 180px;
    padding: 4px 8px;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    border-radius: 6px;
    cursor: pointer;
    list-style: none;
  }
  .person summary::-webkit-details-marker {
    display: none;
  }
  .person summary::after {
    content: " \u25BE";
    color: var(--quiet);
  }
  .person summary:hover {
    background: var(--raised);
  }
  .menu {
    position: absolute;
    inset: calc(100% + 6px) 0 auto auto;
    display: grid;
    min-width: 160px;
    padding: 6px;
    background: var(--ground);
    border: 1px solid var(--hairline);
    border-radius: 8px;
    box-shadow: 0 8px 24px var(--shadow);
  }
  .menu > * {
    padding: 5px 8px;
    border-radius: 4px;
  }
  .menu button {
    border: 0;
    background: none;
    text-align: start;
    cursor: pointer;
  }
  .menu :is(a, button):hover {
    background: var(--raised);
    color: inherit;
    text-decoration: none;
  }
  .menu p:empty {
    display: none;
  }

  .sign {
    flex: none;
    width: 12px;
    height: 12px;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.7;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .sign.is-asWritten {
    fill: currentColor;
    stroke: none;
  }
  .sign.is-differs {
    stroke-width: 1.5;
  }
  .sign.is-broken {
    stroke-width: 2;
  }
  .is-asWritten,
  .is-completed {
    --meaning: var(--as-written);
  }
  .is-differs {
    --meaning: var(--differs);
  }
  .is-broken {
    --meaning: var(--broken);
  }
  .is-stopped,
  .is-notStarted,
  .is-undeclared,
  .is-unknown,
  .is-paused {
    --meaning: var(--unknown);
  }
  .sign {
    color: var(--meaning);
  }
  .mark {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    white-space: nowrap;
  }
  .mark > span {
    align-self: baseline;
  }
  .mark.is-broken,
  .mark.is-differs {
    color: var(--meaning);
  }

  .place {
    font: 12px/18px var(--mono);
    color: var(--quiet);
    white-space: nowrap;
  }
  a:hover > .place {
    color: inherit;
  }

  /* The signature: what is declared and what runs, and the line between them. */
  .facing {
    display: grid;
    grid-template-columns: minmax(96px, 180px) minmax(0, 1fr) 33px minmax(0, 1fr) minmax(160px, auto);
    align-items: stretch;
  }
  .facing > * {
    padding-block: 4px;
  }
  .facing-field {
    color: var(--quiet);
    overflow-wrap: anywhere;
  }
  .facing-word {
    font-size: 12px;
    color: var(--quiet);
  }
  .facing-side {
    display: flex;
    gap: 8px;
    align-items: baseline;
    min-width: 0;
  }
  .facing-side.is-declared {
    justify-content: flex-end;
    text-align: end;
  }
  .facing-side b {
    font-weight: 600;
    border-radius: 3px;
    padding: 1px 2px;
    margin: 0 -1px;
  }
  .facing-side.is-declared b {
    background: var(--declared-ground);
  }
  .facing-side.is-actual b {
    background: var(--actual-ground);
  }
  .facing-line {
    position: relative;
    background: linear-gradient(var(--differs), var(--differs)) center / 1px 100% no-repeat;
  }
  .facing-line::after {
    content: "\u2260";
    position: absolute;
    inset: 50% auto auto 50%;
    translate: -50% -50%;
    padding: 0 3px;
    font-size: 13px;
    line-height: 16px;
    color: var(--differs);
    background: var(--ground);
  }
  .facing-end {
    justify-self: end;
    text-align: end;
  }

  .button {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    min-height: 28px;
    padding: 0 12px;
    border: 1px solid var(--hairline);
    border-radius: 6px;
    background: var(--raised);
    color: var(--text);
    cursor: pointer;
    white-space: nowrap;
  }
  .button:hover:not(:disabled) {
    border-color: var(--field);
    color: var(--text);
    text-decoration: none;
  }
  .button:disabled {
    color: var(--quiet);
    background: none;
    cursor: not-allowed;
  }
  .button.is-main:not(:disabled) {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--on-accent);
    font-weight: 600;
  }
  .button.is-danger:not(:disabled) {
    border-color: var(--broken);
    color: var(--broken);
    background: none;
  }
  .link {
    min-height: 24px;
    padding: 0;
    border: 0;
    background: none;
    color: var(--accent);
    cursor: pointer;
    text-align: start;
  }
  .link:hover {
    text-decoration: underline;
    text-underline-offset: 3px;
  }

  .tabs {
    display: flex;
    gap: 4px;
    margin: 12px calc(-1 * var(--edge)) 0;
    padding: 0 calc(var(--edge) - 10px);
    border-bottom: 1px solid var(--hairline);
    overflow-x: auto;
  }
  .tabs a {
    display: flex;
    gap: 6px;
    padding: 8px 10px;
    color: var(--quiet);
    border-bottom: 2px solid transparent;
    white-space: nowrap;
  }
  .tabs a:hover {
    color: var(--text);
    text-decoration: none;
  }
  .tabs a[aria-selected="true"] {
    color: var(--text);
    border-bottom-color: var(--accent);
  }
  .tabs a:focus-visible {
    outline-offset: -3px;
  }
  .count {
    color: var(--quiet);
  }

  .loading {
    padding: 32px 0;
    color: var(--quiet);
  }
  .empty {
    display: grid;
    justify-items: start;
    gap: 12px;
    max-width: 72ch;
    padding: 48px 0;
  }
  .empty-title {
    font-size: 15px;
  }
  .trouble {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 16px;
    margin: 12px 0;
    padding: 8px 12px;
    border-inline-start: 3px solid var(--broken);
    background: var(--raised);
    overflow-wrap: anywhere;
  }
  .trouble[role="status"] {
    border-color: var(--unknown);
    gap: 8px;
  }

  dialog {
    width: min(480px, calc(100vw - 32px));
    padding: 24px;
    border: 1px solid var(--hairline);
    border-radius: 10px;
    background: var(--ground);
    color: var(--text);
    box-shadow: 0 16px 48px var(--shadow);
  }
  dialog::backdrop {
    background: light-dark(oklch(0.9 0.01 240 / 0.6), oklch(0.1 0.01 250 / 0.6));
  }
  dialog h2 {
    margin-bottom: 12px;
  }

  .lead {
    max-width: 60ch;
    font-size: 15px;
    line-height: 22px;
  }
  .hint {
    max-width: 72ch;
    margin-top: 8px;
    color: var(--quiet);
    overflow-wrap: anywhere;
  }
  .form {
    display: grid;
    gap: 16px;
    margin-top: 20px;
    max-width: 480px;
  }
  .form .trouble {
    margin: 0;
  }
  .field {
    display: grid;
    gap: 4px;
  }
  .field label {
    font-weight: 600;
  }
  .field input {
    width: 100%;
    min-height: 36px;
  }
  .field .hint {
    margin-top: 0;
    font-size: 12px;
  }
  .form-end {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 16px;
    margin-top: 4px;
  }
  .form-end .button {
    min-height: 36px;
  }
  .hint + .form-end {
    margin-top: 20px;
  }

  .rows-box {
    flex: 1;
    min-height: 200px;
    margin: 0 calc(-1 * var(--edge));
    overflow: auto;
    border-top: 1px solid var(--hairline);
    overscroll-behavior: contain;
  }
  .rows-head,
  .rows-row {
    display: grid;
    grid-template-columns: 28px minmax(140px, 1.5fr) minmax(130px, 1fr) 56px minmax(80px, 0.7fr) minmax(120px,
      1.2fr) minmax(120px, 1fr);
    align-items: center;
    gap: 0 12px;
    height: var(--row);
    padding: 0 var(--edge);
    border-bottom: 1px solid var(--hairline);
  }
  .has-measures :is(.rows-head, .rows-row) {
    grid-template-columns: 28px minmax(140px, 1.5fr) minmax(130px, 1fr) 56px minmax(80px, 0.7fr) minmax(120px,
      1fr) 262px;
  }
  .rows-head {
    position: sticky;
    top: 0;
    z-index: 1;
    background: var(--ground);
    font-size: 12px;
    color: var(--quiet);
  }
  .rows-head > *,
  .rows-row > * {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .rows-row code {
    overflow-wrap: normal;
  }
  .rows-row:hover {
    background: var(--raised);
  }
  .rows-row[aria-selected="true"] {
    background: light-dark(oklch(0.955 0.02 240), oklch(0.25 0.035 240));
  }
  .rows-row:focus-visible {
    outline-offset: -2px;
    border-radius: 0;
  }
  .cell-choice {
    display: grid;
    place-items: center;
    height: 100%;
  }
  .cell-choice input {
    position: relative;
  }
  .cell-choice input::after {
    content: "";
    position: absolute;
    inset: -6px;
  }
  .cell-since {
    text-align: end;
    color: var(--quiet);
  }
  .cell-project,
  .cell-ports,
  .cell-image {
    color: var(--quiet);
  }
  .cell-measures {
    display: grid;
    grid-template-columns: 60px 56px 60px 64px;
    gap: 6px;
    align-items: center;
    justify-content: end;
    text-align: end;
  }
  .rows-head .cell-measures > * {
    grid-column: span 2;
  }
  .sparkline {
    border-block-end: 1px solid var(--hairline);
  }
  .sparkline path {
    fill: none;
    stroke: var(--accent);
    stroke-width: 1.5;
    stroke-linejoin: round;
  }
  .cell-state .mark {
    max-width: 100%;
    overflow: hidden;
  }

  table {
    width: 100%;
    border-collapse: collapse;
  }
  .table-box {
    overflow-x: auto;
    margin-top: 12px;
  }
  th {
    padding: 6px 24px 6px 0;
    font-size: 12px;
    font-weight: 400;
    color: var(--quiet);
    text-align: start;
  }
  td {
    padding: 6px 24px 6px 0;
    border-top: 1px solid var(--hairline);
    vertical-align: top;
  }

  @media (max-width: 900px) {
    .facing {
      grid-template-columns: minmax(72px, 120px) minmax(0, 1fr) 33px minmax(0, 1fr);
    }
    .facing-end {
      grid-column: 2 / -1;
      justify-self: start;
      padding-top: 0;
    }
    .facing-word {
      display: none;
    }
    .rows-head,
    .rows-row {
      grid-template-columns: 28px minmax(140px, 1.5fr) minmax(130px, 1fr) 56px minmax(120px, 1fr);
    }
    .has-measures :is(.rows-head, .rows-row) {
      grid-template-columns: 28px minmax(100px, 1.5fr) minmax(110px, 1fr) 48px 262px;
    }
    .cell-project,
    .cell-ports,
    .has-measures .cell-image {
      display: none;
    }
  }
  @media (max-width: 640px) {
    /* Scrolled sideways rather than broken into pieces. */
    table {
      min-width: 560px;
    }
    :root {
      --row: 56px;
    }
    .bar {
      gap: 8px;
    }
    .brand svg + *,
    .liveness {
      font-size: 12px;
    }
    .brand {
      font-size: 0;
      gap: 0;
    }
    .bar nav a {
      padding: 0 6px;
    }
    .person summary {
      max-width: 84px;
    }
    .facing {
      grid-template-columns: 18px minmax(0, 1fr);
    }
    .facing-field {
      grid-column: 1 / -1;
      padding-bottom: 0;
    }
    .facing-line {
      display: none;
    }
    .facing-side,
    .facing-side.is-declared {
      grid-column: 1 / -1;
      justify-content: flex-start;
      text-align: start;
      padding-block: 2px;
      padding-inline-start: 10px;
      border-inline-start: 2px solid var(--differs);
    }
    .facing-word {
      display: inline;
      flex: none;
      width: 56px;
    }
    .facing-end {
      grid-column: 1 / -1;
      padding-top: 2px;
    }
    .rows-head,
    .has-measures .rows-head {
      height: 32px;
      grid-template-columns: 28px 1fr;
    }
    .rows-head > :not(.cell-choice, .cell-name),
    .cell-measures .sparkline {
      display: none;
    }
    .cell-measures {
      grid-template-columns: auto auto;
    }
    .rows-row,
    .has-measures .rows-row {
      grid-template: 24px 20px / 28px minmax(0, 1fr) auto;
      align-content: center;
      gap: 0 8px;
    }
    .cell-choice {
      grid-row: 1 / -1;
    }
    .rows-head .cell-choice {
      grid-row: auto;
    }
    .cell-name {
      grid-column: 2;
      font-weight: 600;
    }
    .cell-state {
      grid-column: 2;
      grid-row: 2;
    }
    .cell-since {
      grid-column: 3;
      grid-row: 1;
    }
    :is(.cell-image, .cell-measures) {
      grid-column: 3;
      grid-row: 2;
    }
  }
  @media (prefers-reduced-motion: no-preference) {
    dialog {
      animation: come 120ms ease-out;
    }
    .menu {
      animation: come 120ms ease-out;
    }
    .rows-row .cell-state .mark {
      animation: changed 600ms ease-out;
    }
  }
  @keyframes come {
    from {
      opacity: 0;
      translate: 0 4px;
    }
  }
  @keyframes changed {
    from {
      background: var(--differs-ground);
    }
  }
  @media (forced-colors: active) {
    .sign {
      forced-color-adjust: none;
      color: CanvasText;
    }
    .facing-line {
      background: CanvasText;
    }
  }
}
`;var qr=`/* What one screen alone looks like. */
@layer screens {
  .alone {
    display: flex;
    flex-direction: column;
    justify-content: center;
    width: min(480px, 100%);
    margin: 0 auto;
    padding-block: 64px 20vh;
  }
  .alone h1 {
    margin-bottom: 8px;
    font-size: 28px;
    line-height: 36px;
  }
  .secret {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 12px;
    margin-top: 16px;
    padding: 12px;
    background: var(--raised);
    border-radius: 6px;
  }
  .secret code {
    flex: 1;
    min-width: 0;
  }

  .elsewhere {
    margin-top: 12px;
    padding-bottom: 20px;
    border-bottom: 1px solid var(--hairline);
  }
  .elsewhere .button {
    min-height: 36px;
  }

  .suggestions ul {
    display: grid;
    gap: 8px;
    margin: 4px 0;
    padding: 0;
    list-style: none;
  }
  .suggestions .link {
    font: 12px/18px var(--mono);
    text-align: start;
  }
  .first {
    max-width: 640px;
    padding: 64px 0;
  }
  .first h1 {
    margin-bottom: 8px;
    font-size: 28px;
    line-height: 36px;
  }

  .question {
    padding: 32px 0 20px;
  }
  .question h1 {
    font-size: 28px;
    line-height: 36px;
    font-weight: 600;
    letter-spacing: -0.02em;
  }
  .counts {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 20px;
    margin-top: 6px;
    font-size: 15px;
  }
  .counts .quiet {
    font-size: 13px;
  }

  .lately li {
    display: flex;
    align-items: baseline;
    gap: 16px;
    min-height: 28px;
    border-top: 1px solid var(--hairline);
    line-height: 28px;
  }
  /* Over the list's head: nothing moves under the pointer. */
  .arrivals {
    position: relative;
    z-index: 2;
    height: 0;
    text-align: center;
  }
  .arrivals .button {
    margin-top: 1px;
    box-shadow: 0 4px 16px var(--shadow);
    background: var(--ground);
    color: var(--accent);
  }

  .well p {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 12px;
  }
  .well-units li {
    display: flex;
    align-items: center;
    gap: 8px;
    min-height: 26px;
    break-inside: avoid;
  }

  .section-head {
    display: flex;
    align-items: center;
    justify-content: space-between;
    padding: 28px 0 8px;
  }
  .row {
    display: grid;
    align-items: center;
    gap: 4px 20px;
    min-height: 36px;
    padding: 6px 0;
    border-top: 1px solid var(--hairline);
  }
  .workspace > a {
    font-weight: 600;
  }
  .workspace-signs,
  .workspace-path {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    text-align: end;
  }

  .screen-head {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 16px;
    padding: 20px 0 8px;
  }
  .screen-end,
  .filters {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
    margin-inline-start: auto;
  }
  .filters input {
    width: 320px;
  }
  .button[aria-pressed="true"] {
    border-color: var(--accent);
    color: var(--accent);
  }
  .list-screen {
    display: flex;
    flex-direction: column;
    height: calc(100dvh - 49px);
    margin-bottom: -48px;
  }
  .facts {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 32px;
  }
  .facts dt {
    display: inline;
    color: var(--quiet);
    font-size: 12px;
  }
  .facts dt::after {
    content: " ";
  }
  .facts dd {
    display: inline;
  }
  .facts a {
    color: var(--accent);
  }
  /* All of it is below "Inspect". */
  .facts .is-long {
    display: flex;
    gap: 4px;
  }
  .facts .is-long code {
    display: -webkit-box;
    overflow: hidden;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
    margin: 0 calc(-1 * var(--edge));
    padding: 10px var(--edge);
    background: var(--raised);
    border-top: 1px solid var(--hairline);
  }
  .actions strong {
    margin-inline-end: 12px;
  }
  .actions .link {
    margin-inline-start: 8px;
  }

  /* Declared beside running, by the author's own lines. */
  .beside {
    padding: 20px 0 8px;
    scroll-margin-top: 48px;
  }
  .beside-head {
    display: flex;
    align-items: center;
    gap: 16px;
    padding-bottom: 8px;
  }
  .beside-sides,
  .line {
    display: grid;
    grid-template-columns: 48px minmax(0, 1fr) minmax(0, 1fr);
  }
  .beside-sides {
    padding-bottom: 4px;
    border-bottom: 1px solid var(--hairline);
  }
  .beside-side:first-child {
    grid-column: 2;
  }
  .beside-side:last-child {
    padding-inline-start: 16px;
  }
  .beside-side {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0 8px;
  }
  .tabs + .rows > .row:first-child {
    border-top: 0;
  }
  .beside-side a {
    color: var(--accent);
  }
  .line-number {
    padding-inline-end: 16px;
    color: var(--quiet);
    text-align: end;
    font: 12px/18px var(--mono);
    user-select: none;
  }
  .line-text {
    white-space: pre-wrap;
  }
  .line-actual {
    padding-inline-start: 15px;
    border-inline-start: 1px solid var(--hairline);
    line-height: 18px;
  }
  .line-actual > span {
    display: flex;
    gap: 12px;
    align-items: baseline;
  }
  .is-differing {
    background: var(--differs-ground);
  }
  .is-differing .line-number {
    color: var(--text);
  }
  .is-differing .line-number::before {
    content: "\u2260";
    float: inline-start;
    padding-inline-start: 6px;
    color: var(--differs);
  }
  .is-differing .line-actual {
    border-inline-start: 2px solid var(--differs);
    padding-inline-start: 14px;
  }
  .is-differing .facing-field {
    color: inherit;
    min-width: 72px;
  }

  .diagnostic {
    grid-template-columns: 72px minmax(0, 1fr) auto auto;
    align-items: baseline;
  }
  .diagnostic > .place {
    grid-column: 4;
  }
  .severity {
    font-size: 12px;
    color: var(--quiet);
  }
  .severity.is-error {
    color: var(--broken);
  }
  .severity.is-warning {
    color: var(--differs);
  }

  .log-screen {
    flex: 1;
    display: flex;
    flex-direction: column;
    min-height: 0;
    margin: 0 calc(-1 * var(--edge));
  }
  .log-bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 16px;
    padding: 8px var(--edge);
  }
  .log-bar input {
    width: 240px;
  }
  .log-search,
  .log-matches {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
  }
  .log-refusal {
    flex-basis: 100%;
    color: var(--broken);
  }
  .log-foot {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 16px;
    min-height: 40px;
    padding: 4px var(--edge);
    border-top: 1px solid var(--hairline);
  }
  .log-foot .log-matches {
    margin-inline-start: auto;
  }
  .log-frame {
    position: relative;
    flex: 1;
    min-height: 160px;
  }
  .log {
    position: absolute;
    inset: 0;
    overflow: auto;
    padding: 0 var(--edge);
    border-top: 1px solid var(--hairline);
    font: 12px/18px var(--mono);
    overscroll-behavior: contain;
  }
  .log:focus-visible {
    outline-offset: -2px;
  }
  .log > p {
    padding: 16px 0;
  }
  .log-line {
    display: flex;
    gap: 16px;
    height: 18px;
    white-space: pre;
    unicode-bidi: isolate;
  }
  .is-wrapped .log-line {
    height: auto;
    min-height: 18px;
  }
  .is-wrapped.log {
    overflow-anchor: none;
  }
  .is-wrapped .is-gap {
    white-space: normal;
  }
  .is-wrapped .log-text {
    min-width: 0;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .log-line time {
    flex: none;
    color: var(--quiet);
    user-select: none;
  }
  .log-line.is-stderr .log-text {
    color: var(--broken);
  }
  .log-line.is-gap {
    color: var(--differs);
  }
  .log-more {
    position: absolute;
    inset: auto 24px 16px auto;
    box-shadow: 0 4px 16px var(--shadow);
    background: var(--ground);
  }

  .tree {
    margin-top: 12px;
    font: 12px/22px var(--mono);
    overflow: auto;
  }
  .tree details > :not(summary) {
    margin-inline-start: 18px;
  }
  .tree summary {
    cursor: pointer;
    min-height: 24px;
  }
  .tree p {
    overflow-wrap: anywhere;
  }

  .is-stale :is(.findings, .rows-box, .workspaces, .facts) {
    filter: grayscale(0.8); /* its contrast stays */
  }

  .line-runs {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }

  @media (max-width: 900px) {
    .filters,
    .filters input[type="search"] {
      width: 100%;
    }
    .diagnostic {
      grid-template-columns: 72px minmax(0, 1fr);
    }
    .diagnostic > :nth-child(n + 3) {
      grid-column: 2;
    }
  }
  @media (max-width: 640px) {
    .question {
      padding: 20px 0 16px;
    }
    .question h1 {
      font-size: 20px;
      line-height: 28px;
    }
    .counts {
      gap: 2px 14px;
      font-size: 13px;
    }
    .alone {
      justify-content: flex-start;
      padding-block: 40px;
    }
    .beside-sides,
    .line {
      grid-template-columns: 36px minmax(0, 1fr);
    }
    .beside-side:last-child {
      grid-column: 2;
      padding-inline-start: 0;
    }
    .line-number {
      padding-inline-end: 8px;
    }
    .line-actual {
      grid-column: 2;
      border: 0;
    }
    .line-actual:empty {
      display: none;
    }
    .is-differing .line-actual {
      padding-block: 2px;
    }
    .line-runs {
      position: static;
      width: auto;
      height: auto;
      clip-path: none;
      font-size: 12px;
    }
    .is-differing .facing-field {
      min-width: 0;
    }
    .is-differing .line-number::before {
      float: none;
      padding: 0 2px 0 0;
    }
    .screen-end {
      margin-inline-start: 0;
    }
    .log-line {
      gap: 0 10px;
    }
    .is-wrapped .log-line {
      flex-wrap: wrap;
    }
    .is-wrapped .log-text {
      flex-basis: 100%;
    }
    .log-bar,
    .log-search {
      gap: 8px;
    }
    .log-search {
      flex: 1 1 100%;
    }
    .log-search input {
      flex: 1;
      width: 0;
      min-width: 96px;
    }
    .log-bar select {
      width: 136px;
    }
  }
}
`;var Dr=`/* Lists of a few hundred rows, what is asked about them, and where they live. */
@layer screens {
  .sections {
    margin-top: 0;
  }
  .tabs {
    flex: none;
  }
  .reveal {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 16px;
    padding-top: 12px;
  }
  .facts-list {
    display: inline-flex;
    flex-wrap: wrap;
    gap: 0 12px;
  }
  .hint + .form {
    margin-top: 16px;
  }
  .check {
    display: flex;
    align-items: center;
    gap: 8px;
    min-height: 28px;
  }
  .sections ~ .list-screen {
    height: calc(100dvh - 88px);
  }
  .sections a[aria-current] {
    color: var(--text);
    border-bottom-color: var(--accent);
  }

  .listing {
    min-width: 0;
    margin-top: 8px;
    overflow-wrap: anywhere;
  }
  .listing th {
    white-space: nowrap;
  }
  .listing :is(th, td):last-child {
    padding-inline-end: 0;
  }
  .listing .is-name > * {
    margin-inline-end: 8px;
  }
  .listing .is-name > strong {
    display: inline-block;
  }
  .listing :is(.is-short, .is-end) {
    white-space: nowrap;
  }
  .listing .is-end {
    text-align: end;
  }
  .listing .is-acts {
    text-align: end;
    white-space: nowrap;
  }
  .listing .is-acts > * + * {
    margin-inline-start: 16px;
  }
  .listing tbody tr:hover {
    background: var(--raised);
  }
  .listing .is-dim td:not(.is-acts) {
    color: var(--quiet);
  }
  .listing .hint {
    display: block;
    margin-top: 0;
    font-size: 12px;
  }
  .listing .mark {
    vertical-align: top;
  }
  .users {
    display: inline-flex;
    flex-wrap: wrap;
    gap: 0 12px;
  }
  .listing .link {
    margin-block: -2px;
    line-height: 20px;
    white-space: nowrap;
  }
  .link.is-danger {
    color: var(--broken);
  }
  .link:disabled {
    color: var(--quiet);
    cursor: not-allowed;
    text-decoration: none;
  }

  .filters select {
    max-width: 240px;
  }
  .choices {
    display: grid;
  }
  .choices label {
    display: flex;
    align-items: baseline;
    gap: 8px;
    min-height: 28px;
  }
  .choices input {
    flex: none;
    position: relative;
    top: 2px;
  }
  .plan .hint {
    margin-top: 0;
  }
  .progress {
    display: grid;
    gap: 4px;
  }
  progress {
    width: 100%;
    height: 6px;
    accent-color: var(--accent);
  }
  .pages {
    display: flex;
    gap: 8px;
    padding-top: 16px;
  }

  .ticks {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(150px, 1fr));
    gap: 0 12px;
    margin: 0;
    padding: 0;
    border: 0;
  }
  .ticks legend {
    padding: 0;
    font-weight: 600;
  }
  .ticks .hint {
    grid-column: 1 / -1;
    margin: 0 0 4px;
    font-size: 12px;
  }
  .ticks label {
    display: flex;
    align-items: center;
    gap: 8px;
    min-height: 26px;
  }
  dialog {
    max-height: calc(100dvh - 32px);
    overflow-y: auto;
  }
  dialog:has(.ticks) {
    width: min(640px, calc(100vw - 32px));
  }
  dialog:has(.ticks) .form {
    max-width: none;
  }
  .field select {
    width: 100%;
    min-height: 36px;
  }
  dialog .lead {
    overflow-wrap: anywhere;
  }

  /* Fingers need the room that rows have without it. */
  @media (min-width: 641px) {
    .is-dense {
      --row: 26px;
    }
    .is-dense td {
      padding-block: 3px;
    }
    .is-dense .row {
      min-height: 28px;
      padding-block: 2px;
    }
    .is-dense .finding {
      padding-block: 1px;
    }
    .is-dense .lately li {
      min-height: 24px;
      line-height: 24px;
    }
  }

  @media (max-width: 900px) {
    .filters input[type="search"] {
      flex: 2 1 120px;
      width: auto;
      min-width: 0;
    }
    .filters select {
      flex: 1 1 96px;
      min-width: 0;
      max-width: none;
    }
    .listing,
    .listing :is(tbody, tr, td) {
      display: block;
    }
    .listing thead {
      position: absolute;
      width: 1px;
      height: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    .listing tr {
      padding: 8px 0;
      border-top: 1px solid var(--hairline);
    }
    .listing tr td,
    .listing tr td:is(.is-end, .is-acts) {
      position: relative;
      padding: 1px 0 1px 112px;
      border: 0;
      text-align: start;
      white-space: normal;
    }
    .listing td:not(.is-name, .is-acts)::before {
      content: attr(data-head);
      position: absolute;
      inset-inline-start: 0;
      width: 108px;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
      font-size: 12px;
      color: var(--quiet);
    }
    .listing tr td:is(.is-name, .is-acts) {
      padding-inline-start: 0;
    }
    .listing td:not(.is-name, .is-acts):empty,
    .listing .is-acts:empty {
      display: none;
    }
  }
  @media (max-width: 900px) {
    .listing.is-terse tr {
      display: flex;
      flex-wrap: wrap;
      gap: 0 10px;
    }
    .listing.is-terse tr td {
      padding-inline-start: 0;
    }
    .listing.is-terse tr td::before {
      content: none;
    }
  }
  @media (max-width: 640px) {
    .filters input[type="search"] {
      flex-basis: 100%;
    }
    .table-box.is-narrow table {
      min-width: 0;
    }
    .log-bar select {
      flex: 1 1 136px;
    }
    /* The screens have a line of their own below the name. */
    .bar {
      flex-wrap: wrap;
      height: auto;
      row-gap: 0;
    }
    .bar > :not(nav) {
      min-height: 44px;
    }
    .bar .brand,
    .bar .person {
      display: flex;
      align-items: center;
    }
    .bar .brand {
      font-size: 15px;
      gap: 8px;
    }
    .bar nav {
      order: 9;
      width: 100%;
      height: 36px;
      margin-inline: -8px;
    }
    .bar nav a {
      padding: 0 8px;
    }
    .list-screen {
      height: calc(100dvh - 82px);
    }
    .sections ~ .list-screen {
      height: calc(100dvh - 121px);
    }
    .person summary {
      max-width: 140px;
    }
  }
}
`;var Wr=`/* The list of projects, and a project's own screen. */
@layer screens {
  .question-head {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 12px 24px;
  }
  .question-end {
    display: flex;
    gap: 8px;
    align-items: center;
    margin-inline-start: auto;
  }
  .question-end input {
    width: 240px;
  }
  .filter {
    padding: 3px 10px;
    margin-inline: -11px 9px;
    border: 1px solid transparent;
    border-radius: 16px;
  }
  .filter:hover,
  .filter.is-chosen {
    background: var(--raised);
  }
  .filter.is-chosen {
    border-color: var(--field);
  }

  .projects,
  .project-head {
    margin-inline: calc(-1 * var(--edge));
  }
  .projects {
    border-top: 1px solid var(--hairline);
  }
  .project {
    border-bottom: 1px solid var(--hairline);
    content-visibility: auto;
    contain-intrinsic-size: auto 40px;
  }
  .project-line,
  .project-head {
    display: grid;
    grid-template-columns: 24px 20px minmax(120px, 190px) minmax(0, 1fr) 64px minmax(64px, 190px) 92px 190px;
    gap: 0 14px;
    align-items: center;
    min-height: 40px;
    padding: 5px var(--edge);
  }
  .project-head {
    min-height: 28px;
    font-size: 12px;
    color: var(--quiet);
  }
  .project-line:hover {
    background: var(--raised);
  }
  .project.is-chosen {
    background: light-dark(oklch(0.955 0.02 240), oklch(0.25 0.035 240));
  }
  .project-choice {
    grid-column: 1;
    margin: 0;
  }
  .unfold {
    grid-column: 2;
    width: 24px;
    height: 24px;
    padding: 0;
    border: 0;
    background: none;
    color: var(--quiet);
    cursor: pointer;
  }
  .project-name {
    grid-column: 3;
    display: flex;
    gap: 8px;
    align-items: center;
    min-width: 0;
    font-weight: 600;
  }
  .project-head .project-name {
    font-weight: 400;
  }
  .project-name a {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .project-why {
    grid-column: 4;
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    color: var(--quiet);
  }
  .project-why b {
    font-weight: 400;
    color: var(--broken);
  }
  .project-unit {
    color: var(--text);
  }
  .project-why :is(ins, del) {
    padding: 1px 3px;
    border-radius: 3px;
    font: 12px/18px var(--mono);
    color: var(--text);
    text-decoration: none;
  }
  .project-why ins {
    background: var(--declared-ground);
  }
  .project-why del {
    background: var(--actual-ground);
  }
  .project-running {
    grid-column: 5;
    text-align: end;
    color: var(--quiet);
  }
  .project-ports {
    grid-column: 6;
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .project-ports a {
    display: inline-block;
    min-height: 24px;
    margin-inline-end: 10px;
    color: var(--accent);
    font: 12px/24px var(--mono);
  }
  .project-head .project-ports {
    color: inherit;
  }
  .project-engines {
    grid-column: 7;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    color: var(--quiet);
  }
  .project-act {
    grid-column: 8;
    display: flex;
    justify-content: flex-end;
    align-items: center;
    gap: 12px;
  }
  .project-act .button {
    min-height: 28px;
    padding: 0 10px;
  }

  @media (max-width: 1100px) {
    .project-line,
    .project-head {
      grid-template-columns: 24px 20px minmax(96px, 150px) minmax(0, 1fr) 56px minmax(56px, 90px) 0 150px;
      gap: 0 10px;
    }
    .project-engines {
      visibility: hidden;
    }
  }
  @media (max-width: 700px) {
    .question-end {
      width: 100%;
      margin: 0;
    }
    .question-end input {
      flex: 1;
      min-width: 0;
    }
    .project-head {
      display: none;
    }
    .project-line {
      grid-template-columns: 24px minmax(0, 1fr) auto;
      gap: 0 8px;
      padding-block: 9px;
    }
    .project-choice,
    .project-running,
    .project-engines {
      display: none;
    }
    .unfold {
      grid-area: 1 / 1;
    }
    .project-name {
      grid-area: 1 / 2;
    }
    .project-act {
      grid-area: 1 / 3;
    }
    .project-why {
      grid-area: 2 / 2 / 3 / -1;
      white-space: normal;
    }
    .project-ports {
      grid-area: 3 / 2 / 4 / -1;
    }
    .project-ports:empty {
      display: none;
    }
  }
}
`;var Fr=`/* The palette, the table of keys, and what is there for screen readers alone. */
@layer parts {
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }
  .palette-open {
    display: flex;
    align-items: center;
    gap: 8px;
    align-self: center;
    height: 28px;
    min-height: 24px;
    padding: 2px 8px;
    border: 1px solid var(--field);
    border-radius: 4px;
    background: none;
    color: var(--quiet);
    font: inherit;
    white-space: nowrap;
    cursor: pointer;
  }
  kbd {
    font: 11px/16px var(--mono);
  }
  .palette-field {
    width: 100%;
  }
  .palette-list {
    max-height: 50dvh;
    margin-top: 8px;
    overflow: auto;
  }
  .palette-list li {
    display: flex;
    justify-content: space-between;
    gap: 12px;
    padding: 6px 8px;
    overflow-wrap: anywhere;
    cursor: pointer;
  }
  .palette-list li[aria-selected="true"] {
    background: var(--selection);
  }
  .palette-list li[aria-selected="true"] .quiet {
    color: var(--text);
  }
  dialog:has(.keys) {
    width: min(640px, calc(100vw - 32px));
  }
  .keys {
    columns: 240px;
    column-gap: 24px;
    padding-block: 12px;
  }
  .keys > div {
    display: flex;
    gap: 12px;
    padding-block: 3px;
    break-inside: avoid;
  }
  .keys kbd {
    padding: 1px 6px;
    border: 1px solid var(--hairline);
    border-radius: 4px;
    background: var(--raised);
  }
  .keys dt {
    flex: none;
    min-width: 64px;
  }
  @media (max-width: 900px) {
    .palette-open kbd {
      display: none;
    }
  }
}
@layer screens {
  .grant {
    display: grid;
    gap: 8px;
    margin: 0 0 12px;
    padding: 8px 12px;
    border: 1px solid var(--hairline);
  }
}
@layer screens {
  .bar > .palette-open {
    min-height: 28px;
  }
}
`;var Hr=`/* Overview, differences, files and findings on paper: a report with its address and its time. */
@layer base {
  .print-head {
    display: none;
  }
}
@layer print {
  @media print {
    :root {
      color-scheme: light;
    }
    .print-head {
      display: block;
      margin: 0;
      padding-bottom: 8px;
      border-bottom: 1px solid;
      font-size: 11px;
      overflow-wrap: anywhere;
    }
    .bar,
    .actions,
    .button,
    .link,
    .tabs,
    .skip,
    .files-list,
    .files-rule,
    .filters,
    .reveal,
    .finding-end,
    .lately,
    .section-head:has(+ .lately),
    .screen-end {
      display: none;
    }
    .facing-word {
      display: inline;
    }
    main {
      padding: 0;
    }
    a {
      color: inherit;
      text-decoration: none;
    }
    .finding,
    .beside,
    .row,
    .line,
    .facing {
      break-inside: avoid;
    }
    /* What differs is told by its ground, too: browsers leave grounds out unless they are told. */
    .is-differing,
    .diff-line,
    .facing,
    .sign,
    .severity {
      print-color-adjust: exact;
    }
    .list-screen,
    .file-text {
      height: auto;
    }
  }
}
`;function al(){pi([Mr,Lr,qr,Wr,Dr,Fr,Hr])}function pi(t){let e=new CSSStyleSheet;e.replaceSync(t.join(`
`)),document.adoptedStyleSheets=[...document.adoptedStyleSheets,e]}function ne(t){if(t instanceof DOMException&&t.name==="AbortError")return null;if(!X(t))return{title:b.problem.notReached,code:"not_reached",status:0,requestId:null,errors:[]};let{statusCode:e,text:n}=t.response,r={};try{r=JSON.parse(n)}catch{}return{title:typeof r.title=="string"?r.title:b.problem.status(e),code:r.code??"unknown",status:e,requestId:r.requestId??null,errors:Array.isArray(r.errors)?r.errors:[],remedies:Array.isArray(r.remedies)?r.remedies:[]}}var fl=w(null);var gl=new f("/api/projects/{id}/plan",{post:[201]}),zr=new f("/api/projects"),Kr=new f("/api/projects/{id}"),xl=new f("/api/projects/{id}/history"),Br=new f("/api/projects/{id}/ignored",{put:[204]});var Vt=["broken","differs","stopped","notStarted","undeclared","unknown","paused","completed","asWritten"],_l={restarting:"broken",unhealthy:"broken",dead:"broken",failed:"broken",running:"asWritten",paused:"paused",stopped:"stopped",completed:"completed",created:"notStarted",unknown:"unknown"};var Gr=new f("/api/workspaces",{post:[201]}),Vr=new f("/api/workspaces/{id}",{delete:[204]}),bl=new f("/api/workspaces/{id}/files"),kl=new f("/api/workspaces/{id}/files/{path}",{put:[200,201]}),Sl=new f("/api/workspaces/{id}/versions/{version}/restore"),El=new f("/api/workspaces/{id}/versions"),Tl=new f("/api/workspaces/{id}/versions/{version}"),jl=new f("/api/workspaces/{id}/artifacts"),Al=new f("/api/workspaces/{id}/artifacts/groups/{name}"),Jr=new f("/api/workspaces/{id}/artifacts/units/{name}"),Ol=new f("/api/workspaces/{id}/artifacts/cards/{name}"),Rl=new f("/api/workspaces/{id}/artifacts/validate"),$l=new f("/api/workspaces/{id}/artifacts/dag"),Pl=new f("/api/workspaces/{id}/artifacts/groups/{name}/plan",{post:[201]});var lt=new f("/api/overview");var Jt=5e3;async function Dl(t){let[e,n]=await Promise.all([R.get(Gr,{signal:t}),U("artifacts:read")?R.get(lt,{query:{limit:Jt},signal:t}):null]),{units:r=[],undeclared:i=[],engines:o=[]}=n?.json()??{},s=r.map(ct),a=e.json().items.map(c=>({workspace:c,units:s.filter(d=>d.workspace===c.id),problem:null}));return{units:s,workspaces:a,undeclared:i,engines:o}}async function Wl(t){let{units:e,undeclared:n}=(await R.get(lt,{query:{limit:Jt},signal:t})).json(),r=new Map,i=({backend:o,id:s})=>`${o}/${s}`;for(let{containers:o,drift:s}of e)for(let a of o)s.some(({container:d})=>d===null||d===a.name)&&r.set(i(a),"differs");for(let o of e.length>0?n:[])r.set(i(o),"undeclared");return r}function ct(t){return{...t,place:Yr(t.location),differences:t.drift.map(e=>({...e,place:Yr(e.location)}))}}async function Fl(t,e){let n=(await R.get(Vr,{params:{id:t},signal:e})).json();if(!(n.state==="ready"||n.state==="reading")||!U("artifacts:read"))return{workspace:n,units:[],problem:null};try{let i=await R.get(lt,{query:{workspace:t,limit:Jt},signal:e});return{workspace:n,units:i.json().units.map(ct),problem:null}}catch(i){let o=ne(i);if(o===null||o.status===401)throw i;return{workspace:n,units:[],problem:o}}}async function Hl(t,e,n){return(await R.get(Jr,{params:{id:t,name:e},signal:n})).json()}function Yr({file:t,range:e}){return{file:t,line:e.start.line,column:e.start.column}}var Yt=class{value=w(void 0);problem=w(null);at=w(0);#n;#t=new AbortController;#e=!1;#r=!1;constructor(e){this.#n=e}reload=()=>{this.#e?this.#r=!0:this.#o()};async#o(){this.#e=!0;do{this.#r=!1;try{let e=await this.#n(this.#t.signal);if(this.#t.signal.aborted)return;this.value.value=e,this.problem.value=null,this.at.value=Date.now()}catch(e){if(this.#t.signal.aborted)return;this.problem.value=ne(e)}}while(this.#r);this.#e=!1}end(){this.#t.abort()}};function Qr(t,e,{live:n=!0}={}){let r=D(()=>new Yt(e),[t]);return N(()=>{if(t===null)return;let i=C(()=>{n&&Ht.value,M.value&&r.reload()});return()=>{i(),r.end()}},[r]),r}var Qt=class{value=w(void 0);problem=w(null);at=w(0);#n;#t;#e=new Map;#r={};#o=()=>{};constructor(e,n){this.#n=e,this.#t=n}reload=()=>{(this.value.value===void 0||this.problem.value!==null)&&this.begin()};begin(){this.#o(),this.#o=we(this.#n,this.#t,{message:e=>this.#i(e),ended:e=>this.problem.value=Zr(e),failed:e=>this.problem.value=Zr(e)})}end(){this.#o()}#i({reset:e,put:n,removed:r,cursor:i,type:o,feed:s,id:a,...c}){e&&(this.#e.clear(),this.#r={});for(let u of r)this.#e.delete(u);for(let u in n)this.#e.set(u,n[u]);if(Object.assign(this.#r,c),i===void 0&&this.value.value===void 0)return;this.at.value=Date.now(),this.problem.value=null;let d=[...this.#e.values()],{unavailable:l=[]}=this.#r;this.value.value={items:d,total:d.length,unavailable:l,beside:{...this.#r}}}};function Zr({code:t,title:e,status:n}){return{code:t,title:e,status:n,requestId:null,errors:[]}}function Zt(t,e,...n){let r=D(()=>new Qt(e,n[0]??{}),[t]);return N(()=>{if(t!==null)return r.begin(),()=>r.end()},[r]),r}var di=5e3;async function cc(t){return(await R.get(zr,{query:{limit:di},signal:t})).json()}function pc(){let t=Zt(U("artifacts:read")?"projects":null,"projects");return{value:D(()=>Q(()=>t.value.value&&ui(t.value.value)),[t]),problem:t.problem,at:t.at,reload:t.reload}}function ui({items:t,beside:{loose:e=[],engines:n=[],liveNeeds:r}}){return{items:t.toSorted(fi),loose:e,engines:n,...r!==void 0&&{liveNeeds:r}}}function fi(t,e){return Vt.indexOf(t.verdict)-Vt.indexOf(e.verdict)||e.counts[e.verdict]-t.counts[t.verdict]||(t.id<e.id?-1:1)}async function dc({id:t,kind:e},n){await R.put(Br,{params:{id:t},payload:{ignored:n,kind:e}})}async function hi(t,e){let n=(await R.get(Kr,{params:{id:t},signal:e})).json();return{...n,units:n.units.map(ct)}}function uc(t,e){let n=Qr(`project ${t}`,r=>hi(t,r),{live:!1});return N(()=>{let r=n.value.peek();r!==void 0&&e!==null&&r.revision!==e&&n.reload()},[e]),n}function fc(t){return(Zt(U("artifacts:read")?"projects":null,"projects").value.value?.items??[]).find(n=>n.id===t||n.name===t)?.revision??null}var mi=t=>`/p/${encodeURIComponent(t)}`;function hc(t,e="up"){return`${mi(t)}/plan${e==="up"?"":`?action=${e}`}`}var Xt=t=>t.lastIndexOf("@")>0?t.slice(0,t.lastIndexOf("@")):t;var{titles:k}=b,A=t=>t,gi=[A({path:"/",title:b.overview.title,view:"Overview",group:"projects",word:b.projects.list,key:"o"}),A({path:"/folders",title:b.projects.folders,view:"Folders",group:"projects",word:b.projects.folders,key:"f"}),A({path:"/new",title:k.newProject,view:"NewProject",group:"projects"}),A({path:"/p/:id",title:({id:t=""})=>Xt(t),view:"Project",group:"projects"}),A({path:"/p/:id/plan",title:({id:t=""})=>k.planOf(Xt(t)),view:"Plan",group:"projects"}),A({path:"/plan",title:k.plan,view:"Plans",group:"projects"}),A({path:"/w/:id",title:({id:t=""})=>t,view:"Workspace",group:"projects"}),A({path:"/w/:id/plan",title:({id:t=""})=>k.planOf(t),view:"FolderPlan",group:"projects"}),A({path:"/applies/:id",title:k.apply,view:"Apply"}),A({path:"/c",title:b.containers.title,view:"Containers",group:"containers",word:b.nav.containers,key:"c"}),A({path:"/c/:backend/:name",title:({name:t=""})=>t,view:"Container",group:"containers"}),A({path:"/images",title:k.images,view:"Images",group:"resources",word:k.images,key:"i"}),A({path:"/volumes",title:k.volumes,view:"Volumes",group:"resources",word:k.volumes,key:"v"}),A({path:"/networks",title:k.networks,view:"Networks",group:"resources",word:k.networks,key:"n"}),A({path:"/disk",title:k.disk,view:"Disk",group:"resources",word:k.disk,key:"d"}),A({path:"/events",title:k.events,view:"Events",group:"activity",word:k.events,key:"e"}),A({path:"/logs",title:k.logs,view:"Logs",group:"activity",word:k.logs,key:"l"}),A({path:"/audit",title:k.audit,view:"Audit",group:"activity",word:k.audit,key:"a"}),A({path:"/settings/keys",title:k.keys,view:"Keys",group:"settings",word:k.keys,key:"k"}),A({path:"/settings/people",title:k.people,view:"People",group:"settings",word:k.people,key:"p"}),A({path:"/settings/sessions",title:k.sessions,view:"Sessions",group:"settings",word:k.sessions,key:"s"}),A({path:"/settings/engines",title:k.engines,view:"Engines",group:"settings",word:k.engines})],Xr=gi.flatMap(t=>t.word===void 0?[]:[{...t,word:t.word}]);var tn="berth.no-letters",eo=w(localStorage.getItem(tn)===null);function bc(t){eo.value=t,t?localStorage.removeItem(tn):localStorage.setItem(tn,"1")}var en=w(null),xi=new Map(Xr.flatMap(({key:t,path:e})=>t===void 0?[]:[[t,e]])),wi=1500;function kc(){let t=-1/0,e=n=>{if(n.defaultPrevented||n.isComposing)return;if((n.ctrlKey||n.metaKey)&&!n.shiftKey&&!n.altKey&&n.key==="k"){if(to(n,".terminal-box"))return;n.preventDefault(),en.value="palette";return}if(!(!n.ctrlKey&&!n.metaKey&&!n.altKey)||!eo.value||vi(n)||document.querySelector("dialog[open]"))return;let i=performance.now()-t<wi;t=-1/0;let o=i?xi.get(n.key):void 0;if(o!==void 0)n.preventDefault(),Re(o);else if(n.key==="g")t=performance.now();else if(n.key==="/"){n.preventDefault();let s=document.querySelector("main input[type=search]");s===null?en.value="palette":s.focus()}else n.key==="."?(n.preventDefault(),requestAnimationFrame(()=>requestAnimationFrame(_i))):n.key==="?"&&(n.preventDefault(),en.value="keys")};return document.addEventListener("keydown",e),()=>document.removeEventListener("keydown",e)}function _i(){[".actions","main .screen-end","main .screen-head"].map(n=>document.querySelector(`${n} button:not(:disabled)`)).find(n=>n!==null)?.focus()}function vi(t){return to(t,"input, textarea, select, [contenteditable=true]")}function to(t,e){return t.composedPath().some(n=>n instanceof Element&&n.matches(e))}var yi=/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;function re(t){return t.replace(yi,e=>`\\u{${e.codePointAt(0).toString(16)}}`)}var bi={asWritten:"M6 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z",differs:"M2 4.4h8M2 7.6h8M8 2 4 10",broken:"M2.5 2.5l7 7M9.5 2.5l-7 7",notStarted:"M6 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z",completed:"M2 6.5 4.8 9.2 10 3",stopped:"M3 3h6v6H3z",paused:"M4 2.5v7M8 2.5v7",unknown:"M3.8 4.2a2.2 2.2 0 1 1 3.3 1.9c-.8.5-1.1.8-1.1 1.6M6 9.9v.1",undeclared:"M6 2v8M2 6h8"};function nn({verdict:t}){return h("svg",{class:`sign is-${t}`,viewBox:"0 0 12 12",width:"12",height:"12","aria-hidden":"true",children:h("path",{d:bi[t]})})}function Ac({verdict:t,children:e}){return h("span",{class:`mark is-${t}`,children:[h(nn,{verdict:t}),h("span",{children:e??b.verdict(t)})]})}var ki=yn("");function rn(){let t=no(),e=te.value?.live===!1?b.problem.notReached:b.loading;return h("p",{class:"loading",role:"status",children:t?e:""})}function no(){let[t,e]=H(!1);return N(()=>{let n=setTimeout(()=>e(!0),150);return()=>clearTimeout(n)},[]),t}function Mc({problem:t,again:e}){let n=Cn(ki),r=no();return h(I,{children:[h("header",{class:"screen-head",children:h("h1",{class:r||t!==null?"":"unseen",children:re(n)})}),t===null?h(rn,{}):h(on,{problem:t,again:e})]})}function Lc({title:t,whole:e=!1,children:n}){return h("div",{class:"empty",children:[e?h("h1",{children:t}):h("p",{class:"empty-title",children:t}),n]})}function on({problem:t,since:e,again:n}){return h("div",{class:"trouble",role:"alert",children:[h("span",{children:re(t.title)}),e!==void 0&&e>0&&h("span",{class:"quiet",children:b.problem.stale(e)}),t.requestId!==null&&h("code",{class:"quiet",children:b.problem.request(t.requestId)}),n&&h("button",{type:"button",class:"link",onClick:n,children:b.again})]})}function ro({engines:t,say:e=b.problem.away}){let{unlisted:n}=b.problem;return h(I,{children:t.map(({backend:r,reason:i,stale:o})=>h("p",{class:"trouble",role:"status",children:[h(nn,{verdict:"unknown"})," ",re(o===void 0?e(r,i):n(r,o,i))]},r))})}function B(t){let e=null;return function(r){let[i,o]=H(()=>e),[s,a]=H(!1);return N(()=>{i===null&&t().then(c=>o(()=>e=c),()=>a(!0))},[]),i!==null?h(i,{...r}):s?h("p",{class:"trouble",role:"alert",children:b.problem.unloaded}):h(rn,{})}}var W=()=>Promise.reject(new Error("the table of screens was not read"));function zc(t){W=t}var Kc=B(async()=>(await W()).Lately),Bc=B(async()=>(await W()).Undeclared),Gc=B(async()=>(await W()).NoProjects),Vc=B(async()=>(await W()).Bulk),Jc=B(async()=>(await W()).Units),Yc=B(async()=>(await W()).Measured),Qc=B(async()=>(await W()).RemoveDialog),Zc=B(async()=>(await W()).ProofDialog),Xc=B(async()=>(await W()).KeysHelp);var tp=({backend:t,name:e})=>`/c/${encodeURIComponent(t)}/${encodeURIComponent(e)}`;var op=new f("/api/containers"),oo=new f("/api/containers/{id}",{delete:[204]}),io=new f("/api/containers/{id}/start"),so=new f("/api/containers/{id}/stop"),ao=new f("/api/containers/{id}/restart"),ip=new f("/api/containers/{id}/pause"),sp=new f("/api/containers/{id}/unpause"),ap=new f("/api/containers/{id}/kill"),lp=new f("/api/containers/{id}/rename"),cp=new f("/api/containers/{id}/top"),pp=new f("/api/containers/{id}/logs"),dp=new f("/api/containers/{id}/exec"),up=new f("/api/containers/{id}/orphans"),fp=new f("/api/containers/{id}/stats");var vp={start:"containers:control",stop:"containers:control",restart:"containers:control",remove:"containers:remove"},sn=w(new Map);function lo({backend:t,id:e}){return`${t}/${e}`}var Si=4;async function yp(t,e,n={volumes:!1}){let r=[...e];sn.value=new Map(e.map(o=>[lo(o),{action:t,state:"working",reason:""}]));let i=async()=>{for(let o=r.shift();o!==void 0;o=r.shift()){let s=await Ei(t,o,n);sn.value=new Map(sn.value).set(lo(o),s)}};await Promise.all(Array.from({length:Si},i)),at()}async function Ei(t,{id:e,backend:n},{volumes:r}){try{let i={params:{id:e},query:{backend:n}};if(t==="remove")return await R.delete(oo,{params:{id:e},query:{backend:n,force:!0,volumes:r}}),{action:t,state:"done",reason:""};let o=t==="start"?await R.post(io,i):t==="stop"?await R.post(so,i):await R.post(ao,i);return{action:t,state:o.json().changed?"done":"unchanged",reason:""}}catch(i){return{action:t,state:"failed",reason:ne(i)?.title??""}}}function Ep({title:t,children:e,onClose:n}){let r=Tt(null),i=be();return N(()=>{let o=document.activeElement;return r.current?.showModal(),()=>o instanceof HTMLElement&&o.focus()},[]),h("dialog",{ref:r,"aria-labelledby":i,onCancel:o=>{o.preventDefault(),n?.()},children:[h("h2",{id:i,children:t}),e]})}var co=w(Ft());setInterval(()=>{document.visibilityState==="visible"&&te.peek()?.live!==!1&&(co.value=Ft())},1e3);function $p({since:t,say:e=n=>n}){return h(I,{children:e(b.duration(co.value-t))})}function Up({name:t,label:e,all:n,options:r,word:i=s=>s,also:o={}}){return h("select",{"aria-label":e,value:br.value.get(t)??"",onChange:({currentTarget:s})=>Re(kr({[t]:s.value,...o}),{replace:!0}),children:[h("option",{value:"",children:n}),r.map(s=>h("option",{value:s,children:re(i(s))},s))]})}function Mp(t,e){return[...new Set([...t,...e?[e]:[]])].sort()}var Ti=["0.0.0.0","::",""];function ji({ports:t}){let e=new Map;for(let{host:n,address:r,container:i,protocol:o}of t){if(n===null)continue;let s=Ti.includes(r??""),a=s?"":`${r}:`,c=re(`${a}${n} \u2192 ${i}${o==="tcp"?"":`/${o}`}`),l=`http://${s?location.hostname:r.includes(":")?`[${r}]`:r}:${n}/`;e.set(c,{text:c,href:o==="tcp"&&URL.canParse(l)?l:null})}return[...e.values()]}function Dp(t){return ji(t).map(({text:e})=>e).join(", ")}function Kp({permission:t,act:e,kind:n="",disabled:r=!1,children:i}){let o=U(t);return h("button",{type:"button",class:`button ${n}`,disabled:r||!o,...o?{}:{title:b.lacks(t)},onClick:e,children:i})}function Jp({engines:t}){let e=t.filter(({state:n,stale:r})=>n!=="up"||r!==void 0);return h(ro,{engines:e.map(({name:n,reason:r="",...i})=>({backend:n,reason:r,...i}))})}function Zp({ports:t}){return h("span",{class:"project-ports",children:t.map(e=>h("a",{href:`http://${location.hostname}:${e}/`,target:"_blank",rel:"noreferrer",children:[":",e]},e))})}function od({label:t,name:e,hint:n,type:r="text",autocomplete:i="off",autofocus:o,optional:s,value:a}){let c=be(),d={id:c,name:e,autocomplete:i,required:s!==!0,spellcheck:!1,autocapitalize:"none",...a===void 0?{}:{defaultValue:a},ref:l=>{o&&l&&document.activeElement===document.body&&l.focus()},...n===void 0?{}:{"aria-describedby":`${c}-hint`}};return h("div",{class:"field",children:[h("label",{for:c,children:t}),r==="password"?h("input",{...d,type:"password"}):h("input",{...d,type:"text"}),n!==void 0&&h("p",{class:"hint",id:`${c}-hint`,children:n})]})}function id({label:t,name:e,options:n,value:r,onChange:i}){let o=be();return h("div",{class:"field",children:[h("label",{for:o,children:t}),h("select",{id:o,name:e,...r===void 0?{}:{value:r},onChange:({currentTarget:s})=>i?.(s.value),children:n.map(([s,a])=>h("option",{value:s,children:a},s))})]})}function sd({send:t,submit:e,children:n,aside:r,kind:i="is-main",isReady:o=!0}){let[s,a]=H(null),[c,d]=H(!1),[l,u]=H({}),g=typeof o=="function"?o(l):o;return h("form",{class:"form",onSubmit:async m=>{if(m.preventDefault(),c)return;let y=po(m.currentTarget);d(!0),a(null);try{await t(y)}catch(_){a(ne(_))}finally{d(!1)}},onInput:({currentTarget:m})=>typeof o=="function"&&u(po(m)),children:[n,s!==null&&h(on,{problem:s}),s?.errors.filter(({message:m})=>!s.title.includes(m)).map(({message:m})=>h("p",{class:"hint",children:m},m)),h("div",{class:"form-end",children:[h("button",{type:"submit",class:`button ${i}`,disabled:c||!g,children:e}),r]})]})}function po(t){return Object.fromEntries(new FormData(t))}function ld(t){let[,e]=/^(\d{4,15}) bytes$/.exec(t)??[];if(e===void 0)return t;let n=Number(e),r=0;for(;n%1024===0&&r<uo.length-1;r++)n/=1024;return`${n} ${uo[r]}`}var uo=["bytes","KiB","MiB","GiB","TiB"];export{hn as a,I as b,Ai as c,h as d,H as e,N as f,Wi as g,Tt as h,D as i,be as j,w as k,C as l,f as m,Z as n,me as o,X as p,Lt as q,gr as r,zn as s,Jn as t,Xi as u,es as v,ts as w,is as x,ss as y,as as z,ls as A,ps as B,ds as C,us as D,Ii as E,Ni as F,Ui as G,Mi as H,Li as I,M as J,ar as K,Mo as L,ir as M,lr as N,U as O,R as P,Xs as Q,ea as R,ta as S,na as T,ra as U,oa as V,ia as W,sa as X,te as Y,Ft as Z,we as _,at as $,Aa as aa,Oe as ba,br as ca,Re as da,kr as ea,$a as fa,Pa as ga,L as ha,$e as ia,Ar as ja,zt as ka,pe as la,Rr as ma,ei as na,Kt as oa,Da as pa,Nr as qa,b as ra,ne as sa,fl as ta,gl as ua,xl as va,Vt as wa,_l as xa,Gr as ya,Vr as za,bl as Aa,kl as Ba,Sl as Ca,El as Da,Tl as Ea,jl as Fa,Rl as Ga,$l as Ha,Dl as Ia,Wl as Ja,Fl as Ka,Hl as La,Yr as Ma,Qr as Na,Zt as Oa,cc as Pa,pc as Qa,dc as Ra,hi as Sa,uc as Ta,fc as Ua,mi as Va,hc as Wa,Xt as Xa,gi as Ya,Xr as Za,eo as _a,bc as $a,en as ab,kc as bb,re as cb,nn as db,Ac as eb,ki as fb,rn as gb,Mc as hb,Lc as ib,on as jb,ro as kb,B as lb,zc as mb,Kc as nb,Bc as ob,Gc as pb,Vc as qb,Jc as rb,Yc as sb,Qc as tb,Zc as ub,Xc as vb,tp as wb,op as xb,oo as yb,sp as zb,pp as Ab,dp as Bb,vp as Cb,sn as Db,lo as Eb,yp as Fb,Ep as Gb,co as Hb,$p as Ib,Up as Jb,Mp as Kb,ji as Lb,Dp as Mb,Kp as Nb,Jp as Ob,ld as Pb,Zp as Qb,al as Rb,pi as Sb,od as Tb,id as Ub,sd as Vb};

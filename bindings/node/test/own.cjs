// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
'use strict';
// Loaded ahead of Node's own tests of authenticated ciphers (node -r): AES-GCM of node:crypto by Rijn. Node's object checks
// the arguments and the order of calls, and Rijn does the work at the end of a message.
const crypto = require('node:crypto');
const { Gcm } = require('@rijn/rijn');

let messages = 0;
function byRijn(real, sealing, key, iv, tagLength) {
  const texts = [], aads = [], { setAAD, setAuthTag, getAuthTag } = real;
  let tag, made;
  real.setAAD = (aad, options) => {
    setAAD.call(real, aad, options);
    aads.push(Buffer.from(aad));
    return real;
  };
  real.update = (data, from, to) => {
    texts.push(typeof data === 'string' ? Buffer.from(data, from) : Buffer.from(data));
    return to && to !== 'buffer' ? '' : Buffer.alloc(0);
  };
  real.final = (to) => {
    const text = Buffer.concat(texts), aad = Buffer.concat(aads);
    messages++;
    let out;
    if (sealing) {
      const sealed = new Gcm(key, { tagLength }).seal(iv, text, aad);
      out = sealed.subarray(0, text.length);
      made = sealed.subarray(text.length);
    } else {
      try {
        out = new Gcm(key, { tagLength: tag?.length ?? 16 }).open(iv, Buffer.concat([text, tag ?? Buffer.alloc(16)]), aad);
      } catch {
        throw new Error('Unsupported state or unable to authenticate data');
      }
    }
    return to && to !== 'buffer' ? out.toString(to) : out;
  };
  if (sealing) {
    real.getAuthTag = () => made ?? getAuthTag.call(real);
  } else {
    real.setAuthTag = (given, encoding) => {
      setAuthTag.call(real, given, encoding);
      tag = typeof given === 'string' ? Buffer.from(given, encoding) : Buffer.from(given);
      return real;
    };
  }
  return real;
}
for (const [name, sealing] of [['createCipheriv', true], ['createDecipheriv', false]]) {
  const create = crypto[name];
  crypto[name] = (algorithm, key, iv, options) => {
    const real = create(algorithm, key, iv, options);
    return /^aes-\d+-gcm$/.test(algorithm) ? byRijn(real, sealing, Buffer.from(key), Buffer.from(iv), options?.authTagLength ?? 16) : real;
  };
}
process.on('exit', (status) => {
  if (status === 0) {
    console.log(`${messages} messages by Rijn`);
  }
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { configFaults } from '../../../../test/support/config-faults.ts';
import { readConfig } from '../../../config/config.ts';

const http = {
  SMS_DRIVER: 'http',
  SMS_HTTP_URL: 'https://sms.example.org/send',
  SMS_HTTP_BODY: '{"to":"{phone}","text":"{text}"}',
};

test('config: SMS_DRIVER=http reads the request, and takes the user of the address as a header', () => {
  assert.deepEqual(readConfig(http).sms, {
    driver: 'http',
    url: 'https://sms.example.org/send',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: { template: http.SMS_HTTP_BODY, format: 'json' },
    sender: '',
    statuses: [[200, 299]],
    response: undefined,
  });
  const env = {
    SMS_DRIVER: 'http',
    SMS_HTTP_URL: 'https://us%40er:p%23@sms.example.org/{digits}?text={text}',
    SMS_HTTP_METHOD: 'PUT',
    SMS_HTTP_HEADERS: '{"X-Key":"k","Content-Type":"application/x-www-form-urlencoded; charset=utf-8"}',
    SMS_HTTP_BODY: 'from={sender}&note=a%20b',
    SMS_HTTP_SENDER: 'Club',
    SMS_HTTP_STATUSES: '202, 204-206',
    SMS_HTTP_RESPONSE: 'OK',
  };
  assert.deepEqual(readConfig(env).sms, {
    driver: 'http',
    url: 'https://sms.example.org/{digits}?text={text}',
    method: 'PUT',
    headers: {
      authorization: `Basic ${Buffer.from('us@er:p#').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      'x-key': 'k',
    },
    body: { template: env.SMS_HTTP_BODY, format: 'form' },
    sender: 'Club',
    statuses: [
      [202, 202],
      [204, 206],
    ],
    response: 'OK',
  });
});

test('config: one line that names the variable of SMS_DRIVER=http, and shows no key, for each wrong value', () => {
  const key = 'hidden';
  const cases: [NodeJS.ProcessEnv, RegExp][] = [
    [{ SMS_HTTP_URL: '' }, /^SMS_HTTP_URL is not set; SMS_DRIVER=http needs the address/],
    [{ SMS_HTTP_URL: `sms.example.org/${key}` }, /^SMS_HTTP_URL is not an address that starts with/],
    [{ SMS_HTTP_URL: `ftp://me:${key}@sms.example.org` }, /^SMS_HTTP_URL is not an address/],
    [{ SMS_HTTP_URL: `https://me:hid#den@sms.example.org/${key}` }, /^SMS_HTTP_URL is not an address/],
    [{ SMS_HTTP_URL: 'https://{phone}.example.org' }, /^SMS_HTTP_URL is not .* only in its path and query/],
    [{ SMS_HTTP_URL: 'https://me:{text}@example.org' }, /^SMS_HTTP_URL is not an address/],
    [{ SMS_HTTP_URL: `https://me:%zz${key}@example.org` }, /^SMS_HTTP_URL is not an address/],
    [{ SMS_HTTP_URL: `http://sms.example.org/${key}` }, /^SMS_HTTP_URL starts with http:\/\/, which shows/],
    [{ SMS_HTTP_URL: 'http://8.8.8.8/' }, /^SMS_HTTP_URL starts with http:\/\//],
    [{ SMS_HTTP_URL: 'http://[2606:4700::1]/' }, /^SMS_HTTP_URL starts with http:\/\//],
    [{ SMS_HTTP_URL: `https://a.test/?key=${key}&n={number}` }, /^SMS_HTTP_URL has a word in braces/],
    [{ SMS_HTTP_METHOD: 'post' }, /^SMS_HTTP_METHOD is "post"; it must be one of POST, GET, PUT\.$/],
    [{ SMS_HTTP_METHOD: 'GET' }, /^SMS_HTTP_BODY is set, but SMS_HTTP_METHOD is GET/],
    [{ SMS_HTTP_HEADERS: `x-key: ${key}` }, /^SMS_HTTP_HEADERS is not a JSON object of headers/],
    [{ SMS_HTTP_HEADERS: `["${key}"]` }, /^SMS_HTTP_HEADERS is not a JSON object/],
    [{ SMS_HTTP_HEADERS: '{"x-key":1}' }, /^SMS_HTTP_HEADERS is not a JSON object/],
    [{ SMS_HTTP_HEADERS: `{"x-key":"${key}\\r\\nx: y"}` }, /^SMS_HTTP_HEADERS is not a JSON object/],
    [{ SMS_HTTP_HEADERS: '{"Host":"a.test"}' }, /^SMS_HTTP_HEADERS has host, which the server sets/],
    [{ SMS_HTTP_HEADERS: `{"x-key":"${key}{phone}"}` }, /^SMS_HTTP_HEADERS has a placeholder/],
    [
      { SMS_HTTP_URL: `https://me:${key}@a.test`, SMS_HTTP_HEADERS: '{"Authorization":"x"}' },
      /^SMS_HTTP_HEADERS has an authorization, and SMS_HTTP_URL has a user/,
    ],
    [{ SMS_HTTP_HEADERS: '{"content-type":"text/plain"}' }, /^SMS_HTTP_HEADERS has another content type/],
    [{ SMS_HTTP_BODY: '' }, /^SMS_HTTP_BODY must contain \{text\}, and \{phone\} or \{digits\}, unless/],
    [{ SMS_HTTP_BODY: '{"to":"{phone}"}' }, /^SMS_HTTP_BODY must contain \{text\}, and/],
    [{ SMS_HTTP_BODY: 'text={text}' }, /^SMS_HTTP_BODY must contain \{text\}, and/],
    [{ SMS_HTTP_BODY: '{"to":"{number}","text":"{text}"}' }, /^SMS_HTTP_BODY has a word in braces/],
    [{ SMS_HTTP_BODY: '{"to":{phone},"text":"{text}"}' }, /^SMS_HTTP_BODY is not JSON; /],
    [{ SMS_HTTP_BODY: '{"to":"{phone}","text":{text}}' }, /^SMS_HTTP_BODY is not JSON; /],
    [{ SMS_HTTP_BODY: '{"to":"{phone}","text":"{text}"' }, /^SMS_HTTP_BODY is not JSON; /],
    [{ SMS_HTTP_BODY: 'to={phone}&text={text}&note=a b' }, /^SMS_HTTP_BODY is not a form, such as/],
    [{ SMS_HTTP_BODY: 'to={phone}&text={text}&note=100%' }, /^SMS_HTTP_BODY is not a form/],
    [{ SMS_HTTP_BODY: '{phone}&{text}' }, /^SMS_HTTP_BODY is not /],
    [{ SMS_HTTP_BODY: 'to={phone}&text={text}&from={sender}' }, /^SMS_HTTP_SENDER is not set; a template/],
    [{ SMS_HTTP_SENDER: 'Club' }, /^SMS_HTTP_SENDER has no effect/],
    [{ SMS_HTTP_STATUSES: 'ok' }, /^SMS_HTTP_STATUSES is "ok"; it must be a list/],
    [{ SMS_HTTP_STATUSES: '299-200' }, /^SMS_HTTP_STATUSES is "299-200"/],
    [{ SMS_HTTP_STATUSES: '100-700' }, /^SMS_HTTP_STATUSES is "100-700"/],
    [{ INSTANCE_NAME: 'x'.repeat(41) }, /^INSTANCE_NAME must have at most 40 characters/],
    [{ INSTANCE_NAME: 'a\nb' }, /^INSTANCE_NAME must have/],
  ];
  for (const [env, expected] of cases) {
    const lines = configFaults({ ...http, ...env });
    assert.equal(lines.length, 1, `${JSON.stringify(env)}: ${lines.join('\n')}`);
    const [line = ''] = lines;
    assert.match(line, expected);
    assert.ok(!line.includes(key), line);
  }
});

test('config: SMS_HTTP_URL may start with http:// in a network of one’s own', () => {
  for (const host of ['127.0.0.1:8080', '192.168.1.50', '[fd00::1]', '[::1]:8080', 'phone', 'phone.local'])
    assert.deepEqual(configFaults({ ...http, SMS_HTTP_URL: `http://${host}/` }), [], host);
});

/** The keywords `pattern` and `format` of the validator, which read a text only if it is not too long. */
import { _, type Ajv, type CodeKeywordDefinition, type KeywordCxt } from 'ajv';
import { isLonger } from '../lib/user-texts/is-longer.ts';

/** In characters: longer than every value of a schema without `maxLength`, such as a timestamp or a key. */
const maxFixedLength = 300;

/**
 * Puts a check of the length before the code of both keywords. The validator reports all errors of a value, so it would also search
 * and parse a text of a megabyte that `maxLength` has refused.
 * @param ajv with the option `allErrors`
 */
export function boundTexts(ajv: Ajv): void {
  for (const keyword of ['pattern', 'format']) {
    const definition = ajv.getKeyword(keyword) as CodeKeywordDefinition;
    ajv.removeKeyword(keyword);
    ajv.addKeyword({ ...definition, type: 'string', code: (cxt) => generate(cxt, definition) });
  }
}

function generate(cxt: KeywordCxt, { code }: CodeKeywordDefinition): void {
  const { gen, data, parentSchema } = cxt;
  const { maxLength } = parentSchema as { maxLength?: number };
  const isLongerThan = gen.scopeValue('func', { ref: isLonger });
  gen.if(
    _`${isLongerThan}(${data}, ${maxLength ?? maxFixedLength})`,
    // `maxLength` has an error of its own.
    () => maxLength === undefined && cxt.fail(),
    () => code(cxt, 'string'),
  );
}

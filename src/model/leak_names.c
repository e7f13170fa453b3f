/* This file knows how to tell which names of models and makers a text holds. */
#include "config.h"

#include "model/leak_parts.h"

/*
 * digits: followed by a number it is the model ("Claude 3.5"); for the others
 * a number proves nothing (Falcon 9, Gemini 4, minimax 2).
 */
const struct leak_shipped leak_shipped[] = {
	{ "ChatGPT", LEAK_MODEL, false },
	{ "Chat GPT", LEAK_MODEL, false },
	{ "GPT", LEAK_PROPER, true },
	{ "OpenAI", LEAK_MODEL, false },
	{ "Open AI", LEAK_PROPER, false },
	{ "Anthropic", LEAK_PROPER, false },
	{ "DeepSeek", LEAK_MODEL, false },
	{ "DeepMind", LEAK_MODEL, false },
	{ "Deep Seek", LEAK_PROPER, false },
	{ "Deep Mind", LEAK_PROPER, false },
	{ "Qwen", LEAK_MODEL, false },
	{ "Tongyi", LEAK_MODEL, false },
	{ "QwQ", LEAK_MODEL, false },
	{ "Mixtral", LEAK_MODEL, false },
	{ "Codestral", LEAK_MODEL, false },
	{ "Ministral", LEAK_MODEL, false },
	{ "Mistral AI", LEAK_MODEL, false },
	{ "Meta AI", LEAK_MODEL, false },
	{ "Meta Llama", LEAK_MODEL, false },
	{ "Google AI", LEAK_MODEL, false },
	{ "Google Bard", LEAK_MODEL, false },
	{ "Google Gemini", LEAK_MODEL, false },
	{ "Bing Chat", LEAK_MODEL, false },
	{ "Microsoft Copilot", LEAK_MODEL, false },
	{ "GitHub Copilot", LEAK_MODEL, false },
	{ "Baichuan", LEAK_MODEL, false },
	{ "ChatGLM", LEAK_MODEL, false },
	{ "Hunyuan", LEAK_MODEL, false },
	{ "Doubao", LEAK_MODEL, false },
	{ "Ernie Bot", LEAK_MODEL, false },
	{ "Moonshot AI", LEAK_MODEL, false },
	{ "Nemotron", LEAK_MODEL, false },
	{ "OLMo", LEAK_PROPER, false },
	{ "Hugging Face", LEAK_MODEL, false },
	{ "HuggingFace", LEAK_MODEL, false },
	{ "WizardLM", LEAK_MODEL, false },
	{ "StableLM", LEAK_MODEL, false },
	{ "InternLM", LEAK_MODEL, false },
	{ "DBRX", LEAK_MODEL, false },
	{ "xAI", LEAK_SPELT, false },
	{ "Ollama", LEAK_MODEL, false },
	{ "vLLM", LEAK_MODEL, false },
	{ "LM Studio", LEAK_MODEL, false },
	{ "OpenRouter", LEAK_MODEL, false },
	{ "Perplexity AI", LEAK_MODEL, false },
	{ "文心一言", LEAK_MODEL, false },
	{ "通义千问", LEAK_MODEL, false },
	{ "通義千問", LEAK_MODEL, false },
	{ "豆包", LEAK_COMMON, false },
	{ "深度求索", LEAK_MODEL, false },
	{ "智谱", LEAK_MODEL, false },
	{ "Pixtral", LEAK_MODEL, false },
	{ "Magistral", LEAK_PROPER, false },
	{ "Devstral", LEAK_MODEL, false },
	{ "Code Llama", LEAK_MODEL, false },
	{ "CodeLlama", LEAK_MODEL, false },
	{ "TinyLlama", LEAK_MODEL, false },
	{ "SmolLM", LEAK_MODEL, false },
	{ "RWKV", LEAK_MODEL, false },
	{ "LaMDA", LEAK_MODEL, false },
	{ "EXAONE", LEAK_MODEL, false },
	{ "Azure OpenAI", LEAK_MODEL, false },
	{ "Vertex AI", LEAK_MODEL, false },
	{ "Together AI", LEAK_PROPER, false },
	{ "Fireworks AI", LEAK_PROPER, false },
	{ "Character AI", LEAK_PROPER, false },
	{ "Stability AI", LEAK_PROPER, false },
	{ "SenseNova", LEAK_MODEL, false },
	{ "LiteLLM", LEAK_MODEL, false },
	{ "gpt-oss", LEAK_MODEL, false },
	{ "o1-mini", LEAK_MODEL, false },
	{ "o1-preview", LEAK_MODEL, false },
	{ "o3-mini", LEAK_MODEL, false },
	{ "o4-mini", LEAK_MODEL, false },
	{ "GigaChat", LEAK_MODEL, false },
	{ "YandexGPT", LEAK_MODEL, false },
	{ "HyperCLOVA", LEAK_MODEL, false },
	{ "EuroLLM", LEAK_MODEL, false },
	{ "Aleph Alpha", LEAK_MODEL, false },
	{ "Bielik", LEAK_PROPER, false },
	{ "TAIDE", LEAK_MODEL, false },
	{ "Nous Research", LEAK_MODEL, false },
	{ "llama.cpp", LEAK_MODEL, false },
	{ "千问", LEAK_MODEL, false },
	{ "千問", LEAK_MODEL, false },
	{ "讯飞星火", LEAK_MODEL, false },
	{ "月之暗面", LEAK_MODEL, false },
	{ "零一万物", LEAK_MODEL, false },
	{ "百川智能", LEAK_MODEL, false },
	{ "阶跃星辰", LEAK_MODEL, false },
	{ "챗GPT", LEAK_MODEL, false },
	{ "챗지피티", LEAK_MODEL, false },
	{ "チャットGPT", LEAK_MODEL, false },
	{ "ЧатГПТ", LEAK_MODEL, false },
	{ "چت جی پی تی", LEAK_MODEL, false },
	{ "چت‌جی‌پی‌تی", LEAK_MODEL, false },
	{ "شات جي بي تي", LEAK_MODEL, false },
	{ "تشات جي بي تي", LEAK_MODEL, false },
	{ "اوپن ای آی", LEAK_MODEL, false },
	{ "اپن ای آی", LEAK_MODEL, false },
	{ "آنتروپیک", LEAK_MODEL, false },
	{ "دیپ سیک", LEAK_MODEL, false },
	{ "دیپ‌سیک", LEAK_MODEL, false },
	{ "Google", LEAK_VENDOR, false },
	{ "Baidu", LEAK_VENDOR, false },
	{ "Alibaba", LEAK_VENDOR, false },
	{ "Tencent", LEAK_VENDOR, false },
	{ "ByteDance", LEAK_VENDOR, false },
	{ "谷歌", LEAK_VENDOR, false },
	{ "百度", LEAK_VENDOR, false },
	{ "阿里巴巴", LEAK_VENDOR, false },
	{ "گوگل", LEAK_VENDOR, false },
	{ "腾讯", LEAK_VENDOR, false },
	{ "騰訊", LEAK_VENDOR, false },
	{ "字节跳动", LEAK_VENDOR, false },
	{ "字節跳動", LEAK_VENDOR, false },
	{ "科大讯飞", LEAK_VENDOR, false },
	{ "구글", LEAK_VENDOR, false },
	{ "Гугл", LEAK_VENDOR, false },
	{ "Yandex", LEAK_VENDOR, false },
	{ "混元", LEAK_COMMON, false },
	{ "Claude", LEAK_COMMON, true },
	{ "Gemini", LEAK_COMMON, false },
	{ "Gemma", LEAK_COMMON, true },
	{ "Bard", LEAK_COMMON, false },
	{ "Llama", LEAK_COMMON, true },
	{ "Mistral", LEAK_COMMON, true },
	{ "Grok", LEAK_COMMON, true },
	{ "Copilot", LEAK_COMMON, false },
	{ "GLM", LEAK_COMMON, true },
	{ "Kimi", LEAK_COMMON, false },
	{ "克劳德", LEAK_COMMON, false },
	{ "کلود", LEAK_COMMON, false },
	{ "جمینای", LEAK_COMMON, false },
	{ "Alexa", LEAK_COMMON, false },
	{ "Siri", LEAK_COMMON, false },
	{ "Cortana", LEAK_COMMON, false },
	{ "Groq", LEAK_COMMON, false },
	{ "Cerebras", LEAK_COMMON, false },
	{ "PaLM", LEAK_WORD, false },
	{ "Alpaca", LEAK_WORD, false },
	{ "Vicuna", LEAK_WORD, false },
	{ "Cohere", LEAK_WORD, false },
	{ "Command R", LEAK_WORD, false },
	{ "Ernie", LEAK_WORD, true },
	{ "Moonshot", LEAK_WORD, false },
	{ "MiniMax", LEAK_WORD, false },
	{ "Granite", LEAK_WORD, false },
	{ "Phi", LEAK_WORD, false },
	{ "Falcon", LEAK_WORD, false },
	{ "Orca", LEAK_WORD, false },
	{ "Zephyr", LEAK_WORD, false },
	{ "Nova", LEAK_WORD, false },
	{ "Titan", LEAK_WORD, false },
	{ "Jamba", LEAK_WORD, false },
	{ "Hermes", LEAK_WORD, false },
	{ "Perplexity", LEAK_WORD, false },
	{ "Inflection", LEAK_WORD, false },
	{ "Meta", LEAK_WORD, false },
	{ "Microsoft", LEAK_WORD, false },
	{ "Amazon", LEAK_WORD, false },
	{ "Apple", LEAK_WORD, false },
	{ "Nvidia", LEAK_WORD, false },
	{ "IBM", LEAK_WORD, false },
	{ "Huawei", LEAK_WORD, false },
	{ NULL, LEAK__MAX, false },
};

/* The longest: "Meta Llama" before "Meta". */
const struct leak_entry *
leak_name_at(
    const struct leak_list *l, const struct leak_words *w, size_t i, size_t *n)
{
	const struct leak_entry *best = NULL;

	/* By the whole word, then by what stands before its digits. */
	for (int turn = 0; turn < 2; turn++) {
		uint64_t first = turn == 0 ? w->w[i].hash : w->w[i].stem;
		uint32_t at = first == 0 ? UINT32_MAX
					 : leak_table_first(&l->by_name, first);

		for (; at != UINT32_MAX; at = l->names[at].next) {
			const struct leak_entry *e = &l->names[at];
			size_t k = 1;

			if (i + e->words_n > w->n ||
			    (best != NULL && e->words_n <= *n))
				continue;
			while (k < e->words_n && !w->w[i + k].line &&
			       (w->w[i + k].hash == e->words[k] ||
				   (k + 1 == e->words_n &&
				       w->w[i + k].stem == e->words[k])))
				k++;
			if (k == e->words_n) {
				best = e;
				*n = k;
			}
		}
	}
	return best;
}

"""Authors in Chinese, Japanese and Korean bylines, whose names have no capital letters."""

import re
from collections.abc import Iterator, Sequence

from detourage.metadata.bylines import HAN, HANGUL
from detourage.metadata.surroundings import NearbyLine
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.words import contains_any

MAX_TITLED = 80  # length of a Korean line with a name and a title; a longer one is prose
KANA = "\u3040-\u30ff"  # Japanese syllables, for use inside a character class
# Common Chinese surnames of one character; a name begins with the surname.
SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖萧田董袁潘于蒋蔡余杜叶程"
    "苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付傅方白邹孟熊秦邱江尹薛闫阎段雷侯龙史陶黎贺顾毛"
    "郝龚邵万钱严覃武戴莫孔向汤常温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞"
    "左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈"
    "饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟"
    "邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝官封谈匡鞠惠荆乐冀郁胥南班储"
    "原栗燕楚鄢劳谌奚皮粟冼蔺楼盘满闻位厉伊仝区郜海阚花权强帅屠豆朴盖练廉禹井祖漆巴丰支卿国狄平"
    "計張劉陳楊黃趙吳孫馬鄭謝許韓馮鄧蕭葉蘇魏呂盧鍾譚陸廖賈韋鄒龍錢嚴戴賀顧龔萬湯"
)
_LONG_SURNAMES = "欧阳|司马|上官|诸葛|东方|皇甫|尉迟|公孙|慕容|令狐|司徒|夏侯|端木|歐陽|諸葛"
_NAME = rf"(?:(?:[{SURNAMES}]|{_LONG_SURNAMES})[{HAN}]{{1,2}})(?![{HAN}])"
# Quantifiers are possessive, because otherwise the time would grow exponentially with the names.
_REPORTERS = r"(?:记\s*者|記者|通讯员|通訊員|评论员|撰稿人|实习生)"
_TITLE = lazy_pattern(_REPORTERS)  # "Reporter", "correspondent" or another job title
_NAMES = rf"(?P<names>{_NAME}(?:\s*+(?:[、，,]\s*+)?+(?:{_REPORTERS}\s*+)?+{_NAME})*+)"
_ANY_NAME = rf"(?P<names>[{HAN}\w·•.&]{{1,20}}(?:[\s、，]+[{HAN}]{{2,4}}(?![{HAN}:：]))*+)"
_AUTHOR = lazy_pattern(  # "Author: …"
    rf"(?:作\s*者|博主|楼主|署名)\s*[:：/／|｜\]】]\s*{_ANY_NAME}|作\s*者\s+(?P<other>{_NAME})"
)
_REPORTER = lazy_pattern(rf"{_REPORTERS}\s*+(?:[:：]\s*+)?+{_NAMES}")  # a job title and names
_POSTED = lazy_pattern(  # "Posted by … on …"
    r"(?:由\s*(?P<names>[^\s于在由]{2,12}?)\s*(?:于|在|张贴|发表|发布)|"
    r"(?:发布人|发布者|发帖人)\s*[:：]\s*(?P<other>\S{2,20}))"
)
_ALONE = lazy_pattern(rf"^[\s(（\[【〔]*{_NAMES}[\s)）\]】〕]*$")  # a line with nothing but names
# A Japanese article may end with its author's name in brackets.
_SIGNED_LAST = lazy_pattern(
    rf"(?:[。」]|^)\s*[(（](?P<names>[{HAN}]{{2,3}}\s?[{HAN}]{{1,2}})(?<![信社聞面版略市区県町村部事供真])[)）]$"
)
_EDITOR = lazy_pattern(  # "Editor: …"
    rf"(?:责任编辑|责\s*编|编\s*辑|編輯|校对|审核)\s*[:：]\s*(?P<names>[{HAN}]{{2,4}})(?![{HAN}])"
)


_KOREAN_TITLED = lazy_pattern(  # names before a title such as "reporter"
    rf"(?:^|[\]\s=])(?P<names>[{HANGUL}]{{2,4}}(?:\s?[·,]\s?[{HANGUL}]{{2,4}})*+)\s?"
    r"(?:(?:선임|수석|인턴|객원|전문)?\s?기자|특파원|논설위원|통신원|칼럼니스트)(?![가-힣])"
)
_JAPANESE_TITLED = lazy_pattern(  # a name after an office or before a title
    rf"^[【\[(（]?(?:[^\s,、。]{{1,12}}(?:支局|支社|本社|部)[\s・](?P<names>[{HAN}]{{3,5}})"
    rf"|(?P<other>[{HAN}]{{3,5}})\s?(?:記者|[(（][^)）]*(?:ライター|ジャーナリスト|記者|編集)[^)）]*[)）]))[】\])）]?$"
)


def east_asian_bylines(lines: Sequence[NearbyLine]) -> Iterator[str]:
    """Yield the parts of bylines that contain names, most reliable first."""
    own = [line for line in lines if line.place in ("before", "opening", "closing")]
    yield from _matches(_KOREAN_TITLED, [line for line in own if len(line.text) <= MAX_TITLED])
    for pattern in (_AUTHOR, _REPORTER):
        yield from _matches(pattern, lines)
    yield from _matches(_JAPANESE_TITLED, own)
    for line in lines:
        match = _POSTED.search(line.text[:100])
        if match:
            yield _matched_names(match)
    yield from _matches(_ALONE, [line for line in lines if line.place in ("opening", "closing")])
    closing = [line for line in lines if line.place == "closing"]
    if any(contains_any(line.text, KANA) for line in closing):
        yield from _matches(_SIGNED_LAST, closing)
    yield from _matches(_EDITOR, lines)


def _matches(pattern: re.Pattern[str], lines: Sequence[NearbyLine]) -> Iterator[str]:
    for line in lines:
        # If the body is a single line, its byline may be at either end of it.
        for text in dict.fromkeys((line.text[:200], line.text[-100:])):
            match = pattern.search(text)
            if match:
                yield _matched_names(match)


def _matched_names(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return _TITLE.sub(" ", groups["names"] or groups["other"] or "")

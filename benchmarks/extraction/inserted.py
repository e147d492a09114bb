"""Lines that sites put between an article's paragraphs, by language and role.

They are inserted into real pages for training and measuring. `{}` stands for the title of another
article, or for the name of the site.
"""

from collections.abc import Mapping
from typing import Final

from detourage.roles import LineRole

INSERTED_LINES: Final[Mapping[str, Mapping[LineRole, tuple[str, ...]]]] = {
    "en": {
        "promo": (
            "Follow us on Facebook and X",
            "Sign up for our newsletter and get the stories that matter in your inbox",
            "Support independent journalism: become a member from $5 a month",
            "Download our app for breaking news alerts",
            "To view this content, please accept marketing cookies",
            "Subscribe to our channel on YouTube",
            "Want to get in touch? Send us your story",
            "Like what you read? Share it with a friend",
            "Stay tuned to {} for more updates",
            "This content is hosted by a third party and hidden by your cookie choices",
        ),
        "related": (
            "Read also: {}",
            "READ MORE: {}",
            "See also: {}",
            "Related: {}",
            "More on this story: {}",
            "ALSO READ | {}",
            "You may also like: {}",
        ),
        "correction": (
            "Correction: an earlier version of this article misstated the date.",
            "This story has been updated to correct the spelling of a name.",
        ),
    },
    "fr": {
        "promo": (
            "Suivez-nous sur Facebook et Instagram",
            "Inscrivez-vous à notre newsletter et recevez l'essentiel de l'actualité",
            "Soutenez une presse indépendante : abonnez-vous à partir de 1 €",
            "Téléchargez notre application pour ne rien manquer",
            "Pour afficher ce contenu, vous devez accepter les cookies",
            "Rejoignez notre chaîne WhatsApp",
            "Cet article vous a plu ? Partagez-le",
        ),
        "related": (
            "Lire aussi : {}",
            "À lire aussi : {}",
            "Voir aussi : {}",
            "LIRE AUSSI. {}",
            "Sur le même sujet : {}",
        ),
        "correction": (
            "Rectificatif : une version précédente de cet article indiquait une date erronée.",
        ),
    },
    "de": {
        "promo": (
            "Folgen Sie uns auf Facebook und Instagram",
            "Abonnieren Sie unseren Newsletter und bleiben Sie informiert",
            "Unterstützen Sie unabhängigen Journalismus: jetzt Mitglied werden",
            "Laden Sie unsere App herunter",
            "Um diesen Inhalt anzuzeigen, benötigen wir Ihre Zustimmung",
            "Jetzt unseren WhatsApp-Kanal abonnieren",
            "Haben Sie Hinweise? Schreiben Sie uns",
        ),
        "related": (
            "Lesen Sie auch: {}",
            "Mehr zum Thema: {}",
            "Siehe auch: {}",
            "Auch interessant: {}",
        ),
        "correction": (
            "Korrektur: In einer früheren Fassung dieses Artikels stand ein falsches Datum.",
        ),
    },
    "es": {
        "promo": (
            "Síguenos en Facebook y Twitter",
            "Suscríbete a nuestro boletín y recibe las noticias en tu correo",
            "Apoya el periodismo independiente: hazte socio",
            "Descarga nuestra aplicación",
            "Para ver este contenido debes aceptar las cookies",
            "Únete a nuestro canal de WhatsApp",
        ),
        "related": (
            "Lee también: {}",
            "Te puede interesar: {}",
            "Leer más: {}",
            "Ver también: {}",
            "Más información: {}",
        ),
        "correction": (
            "Fe de errores: una versión anterior de este artículo contenía un dato incorrecto.",
        ),
    },
    "it": {
        "promo": (
            "Seguici su Facebook e Instagram",
            "Iscriviti alla nostra newsletter",
            "Sostieni il giornalismo indipendente: abbonati",
            "Scarica la nostra app",
            "Per vedere questo contenuto devi accettare i cookie",
            "Unisciti al nostro canale WhatsApp",
        ),
        "related": (
            "Leggi anche: {}",
            "Vedi anche: {}",
            "LEGGI ANCHE >>> {}",
            "Potrebbe interessarti: {}",
        ),
        "correction": ("Errata corrige: in una versione precedente la data era sbagliata.",),
    },
    "pt": {
        "promo": (
            "Siga-nos no Facebook e no Instagram",
            "Assine a nossa newsletter e receba as notícias no seu e-mail",
            "Apoie o jornalismo independente",
            "Baixe o nosso aplicativo",
            "Para ver este conteúdo, aceite os cookies",
            "Entre no nosso grupo do WhatsApp",
        ),
        "related": ("Leia também: {}", "Veja também: {}", "Saiba mais: {}", "LEIA MAIS: {}"),
        "correction": (
            "Correção: uma versão anterior desta reportagem trazia uma data incorreta.",
        ),
    },
    "nl": {
        "promo": (
            "Volg ons op Facebook en Instagram",
            "Schrijf je in voor onze nieuwsbrief",
            "Steun onafhankelijke journalistiek: word lid",
            "Download onze app",
            "Om deze inhoud te tonen moet je cookies accepteren",
        ),
        "related": ("Lees ook: {}", "Bekijk ook: {}", "Meer lezen: {}"),
        "correction": (
            "Correctie: in een eerdere versie van dit artikel stond een verkeerde datum.",
        ),
    },
    "pl": {
        "promo": (
            "Obserwuj nas na Facebooku i Instagramie",
            "Zapisz się na nasz newsletter",
            "Wesprzyj niezależne dziennikarstwo",
            "Pobierz naszą aplikację",
            "Aby zobaczyć tę treść, zaakceptuj pliki cookie",
            "Dołącz do nas na WhatsAppie",
        ),
        "related": (
            "Czytaj także: {}",
            "Zobacz też: {}",
            "CZYTAJ RÓWNIEŻ: {}",
            "Przeczytaj także: {}",
        ),
        "correction": ("Sprostowanie: w poprzedniej wersji artykułu podano błędną datę.",),
    },
    "cs": {
        "promo": (
            "Sledujte nás na Facebooku a Instagramu",
            "Přihlaste se k odběru newsletteru",
            "Podpořte nezávislou žurnalistiku",
            "Stáhněte si naši aplikaci",
        ),
        "related": ("Čtěte také: {}", "Přečtěte si také: {}", "Viz též: {}"),
        "correction": ("Oprava: v původní verzi článku bylo chybné datum.",),
    },
    "ru": {
        "promo": (
            "Подписывайтесь на нас в Telegram",
            "Подпишитесь на нашу рассылку",
            "Поддержите независимую журналистику",
            "Скачайте наше приложение",
            "Чтобы увидеть этот контент, примите файлы cookie",
            "Читайте нас в Яндекс.Новостях",
        ),
        "related": ("Читайте также: {}", "Смотрите также: {}", "По теме: {}"),
        "correction": ("Исправление: в предыдущей версии статьи была указана неверная дата.",),
    },
    "uk": {
        "promo": (
            "Підписуйтесь на нас у Telegram та Facebook",
            "Підпишіться на нашу розсилку",
            "Підтримайте незалежну журналістику",
        ),
        "related": ("Читайте також: {}", "Дивіться також: {}"),
        "correction": ("Виправлення: у попередній версії статті було вказано неправильну дату.",),
    },
    "tr": {
        "promo": (
            "Bizi Facebook ve Instagram'da takip edin",
            "Bültenimize abone olun",
            "Bağımsız gazeteciliği destekleyin",
            "Uygulamamızı indirin",
        ),
        "related": ("Ayrıca okuyun: {}", "İlgili haber: {}", "Bunu da okuyun: {}"),
        "correction": ("Düzeltme: Bu haberin önceki sürümünde tarih yanlış verilmişti.",),
    },
    "ar": {
        "promo": (
            "تابعونا على فيسبوك وتويتر",
            "اشترك في نشرتنا البريدية",
            "ادعموا الصحافة المستقلة",
            "حمّل تطبيقنا",
            "لعرض هذا المحتوى يرجى قبول ملفات تعريف الارتباط",
        ),
        "related": ("اقرأ أيضا: {}", "شاهد أيضا: {}", "اقرأ المزيد: {}"),
        "correction": ("تصحيح: ورد في نسخة سابقة من هذا المقال تاريخ خاطئ.",),
    },
    "fa": {
        "promo": ("ما را در تلگرام و اینستاگرام دنبال کنید", "در خبرنامه ما عضو شوید"),
        "related": ("بیشتر بخوانید: {}", "همچنین بخوانید: {}"),
        "correction": ("اصلاحیه: در نسخه قبلی این خبر تاریخ اشتباه درج شده بود.",),
    },
    "he": {
        "promo": ("עקבו אחרינו בפייסבוק", "הירשמו לניוזלטר שלנו"),
        "related": ("קראו גם: {}", "כתבות נוספות: {}"),
        "correction": ("תיקון: בגרסה קודמת של הכתבה צוין תאריך שגוי.",),
    },
    "hi": {
        "promo": (
            "हमें फेसबुक और ट्विटर पर फॉलो करें",
            "हमारे न्यूज़लेटर की सदस्यता लें",
            "ताज़ा खबरों के लिए हमारा ऐप डाउनलोड करें",
        ),
        "related": ("यह भी पढ़ें: {}", "ये भी पढ़ें- {}"),
        "correction": ("सुधार: इस लेख के पिछले संस्करण में तारीख गलत थी।",),
    },
    "th": {
        "promo": ("ติดตามเราได้ทางเฟซบุ๊ก", "สมัครรับจดหมายข่าวของเรา"),
        "related": ("อ่านเพิ่มเติม: {}", "ข่าวที่เกี่ยวข้อง: {}"),
        "correction": ("แก้ไข: บทความก่อนหน้านี้ระบุวันที่ผิด",),
    },
    "ja": {
        "promo": (
            "フォローする：公式X（旧ツイッター）",
            "メールマガジンに登録して最新ニュースを受け取る",
            "アプリをダウンロード",
            "この記事をシェアする",
            "有料会員になると続きをお読みいただけます",
        ),
        "related": ("あわせて読みたい：{}", "関連記事：{}", "【関連】{}"),
        "correction": ("訂正：記事の以前の版で日付に誤りがありました。",),
    },
    "ko": {
        "promo": (
            "페이스북에서 우리를 팔로우하세요",
            "뉴스레터를 구독하세요",
            "앱을 다운로드하세요",
        ),
        "related": ("관련 기사: {}", "함께 읽기: {}"),
        "correction": ("정정: 이전 기사에 날짜가 잘못 기재되었습니다.",),
    },
    "zh": {
        "promo": (
            "关注我们的微信公众号",
            "订阅我们的新闻通讯",
            "下载客户端，阅读更多新闻",
            "扫码关注，获取最新资讯",
            "分享到微博 微信",
        ),
        "related": ("延伸阅读：{}", "相关新闻：{}", "推荐阅读：{}"),
        "correction": ("更正：本文早前版本中的日期有误。",),
    },
    "el": {
        "promo": (
            "Ακολουθήστε μας στο Facebook και στο Instagram",
            "Εγγραφείτε στο newsletter μας",
            "Ακολουθήστε το {} στο Google News",
        ),
        "related": ("Διαβάστε επίσης: {}", "Δείτε ακόμα: {}"),
        "correction": ("Διόρθωση: σε προηγούμενη έκδοση του άρθρου η ημερομηνία ήταν λανθασμένη.",),
    },
    "sv": {
        "promo": (
            "Följ oss på Facebook och Instagram",
            "Prenumerera på vårt nyhetsbrev",
            "Ladda ner vår app",
        ),
        "related": ("Läs också: {}", "Läs mer: {}"),
        "correction": ("Rättelse: i en tidigare version av artikeln angavs fel datum.",),
    },
    "da": {
        "promo": ("Følg os på Facebook", "Tilmeld dig vores nyhedsbrev"),
        "related": ("Læs også: {}", "Læs mere: {}"),
        "correction": ("Rettelse: I en tidligere version af artiklen var datoen forkert.",),
    },
    "no": {
        "promo": ("Følg oss på Facebook", "Meld deg på nyhetsbrevet vårt"),
        "related": ("Les også: {}", "Les mer: {}"),
        "correction": ("Rettelse: I en tidligere versjon av saken sto det feil dato.",),
    },
    "fi": {
        "promo": ("Seuraa meitä Facebookissa", "Tilaa uutiskirjeemme"),
        "related": ("Lue myös: {}", "Katso myös: {}"),
        "correction": ("Oikaisu: jutun aiemmassa versiossa oli väärä päivämäärä.",),
    },
    "hu": {
        "promo": ("Kövess minket a Facebookon", "Iratkozz fel hírlevelünkre"),
        "related": ("Olvasd el ezt is: {}", "Kapcsolódó cikk: {}"),
        "correction": ("Helyesbítés: a cikk korábbi változatában hibás dátum szerepelt.",),
    },
    "ro": {
        "promo": ("Urmărește-ne pe Facebook și Instagram", "Abonează-te la newsletter"),
        "related": ("Citește și: {}", "Vezi și: {}"),
        "correction": ("Erată: într-o versiune anterioară data era greșită.",),
    },
    "bg": {
        "promo": ("Последвайте ни във Facebook", "Абонирайте се за нашия бюлетин"),
        "related": ("Прочетете още: {}", "Вижте още: {}"),
        "correction": ("Поправка: в предишна версия на статията датата беше грешна.",),
    },
    "sr": {
        "promo": ("Pratite nas na Facebooku", "Prijavite se na naš bilten"),
        "related": ("Pročitajte još: {}", "BONUS VIDEO: {}"),
        "correction": ("Ispravka: u prethodnoj verziji teksta naveden je pogrešan datum.",),
    },
    "hr": {
        "promo": ("Pratite nas na Facebooku", "Prijavite se na naš newsletter"),
        "related": ("Pročitajte i: {}", "Više o temi: {}"),
        "correction": ("Ispravak: u prethodnoj verziji članka naveden je pogrešan datum.",),
    },
    "id": {
        "promo": (
            "Ikuti kami di Facebook dan Instagram",
            "Berlangganan buletin kami",
            "Unduh aplikasi kami",
        ),
        "related": ("Baca juga: {}", "Lihat juga: {}"),
        "correction": ("Koreksi: versi sebelumnya dari artikel ini memuat tanggal yang salah.",),
    },
    "vi": {
        "promo": ("Theo dõi chúng tôi trên Facebook", "Đăng ký nhận bản tin"),
        "related": ("Đọc thêm: {}", "Xem thêm: {}"),
        "correction": ("Đính chính: phiên bản trước của bài viết ghi sai ngày.",),
    },
}

INSERTED_MARKUP: Final = (
    "<p>{}</p>",
    "<p>{}</p>",
    "<p><strong>{}</strong></p>",
    "<p><em>{}</em></p>",
    '<p><a href="/a/{n}">{}</a></p>',
    '<div class="x{n}">{}</div>',
    '<div class="x{n}"><a href="/a/{n}"><span>{}</span></a></div>',
    '<p class="c{n}"><b>{}</b></p>',
    "<h4>{}</h4>",
    "<blockquote><p>{}</p></blockquote>",
)
"""Markup of an inserted line; `{n}` is a number."""
